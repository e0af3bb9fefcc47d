# `make bench`: every bench/*.sh prints one JSON object; bench/run joins them into bench.json of the build directory.
EXTRA_PROGRAMS = bench/verify
bench_verify_SOURCES = bench/verify.cpp
bench_verify_LDADD = libhal.la libcontract.la libhaldata.la libbase.la
EXTRA_DIST += bench/run bench/verify.sh
EXTRA_DIST += bench/apply.sh bench/srun.sh
CLEANFILES += bench.json bench/verify
EXTRA_DIST += bench/srun.sh
if HAVE_SLURM
EXTRA_PROGRAMS += bench/submit_rpc
endif
bench_submit_rpc_SOURCES = bench/submit_rpc.cpp
bench_submit_rpc_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
bench_submit_rpc_LDADD = $(SLURM_LIBS)
EXTRA_DIST += bench/submit.sh
CLEANFILES += bench.json bench/verify bench/submit_rpc

bench: bench/verify
	srcdir=$(abs_top_srcdir) builddir=$(abs_top_builddir) $(top_srcdir)/bench/run
.PHONY: bench
EXTRA_PROGRAMS += bench/put
bench_put_SOURCES = bench/put.cpp
bench_put_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/include
bench_put_LDADD = liblibrary.la
EXTRA_DIST += bench/put.sh
CLEANFILES += bench/put
bench: bench/put
