# `make bench`: every bench/*.sh prints one JSON object; bench/run joins them into bench.json of the build directory.
EXTRA_PROGRAMS = bench/verify
bench_verify_SOURCES = bench/verify.cpp
bench_verify_LDADD = libhal.la libcontract.la libhaldata.la libbase.la
EXTRA_DIST += bench/run bench/verify.sh
EXTRA_DIST += bench/apply.sh bench/srun.sh
CLEANFILES += bench.json bench/verify

bench: bench/verify
	srcdir=$(abs_top_srcdir) builddir=$(abs_top_builddir) $(top_srcdir)/bench/run
.PHONY: bench
