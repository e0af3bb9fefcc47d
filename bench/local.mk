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
EXTRA_DIST += bench/put.sh bench/stall.sh
CLEANFILES += bench/put
bench: bench/put
# Copies to partners, by the product's own streams and servers.
EXTRA_DIST += bench/ring.sh
bench_ring_SOURCES = bench/ring.cpp
bench_ring_LDADD = libmscaled.la
CLEANFILES += bench/ring
if HAVE_SLURM
if HAVE_MUNGE
bench_ring = bench/ring
EXTRA_PROGRAMS += bench/ring
endif
endif
bench: $(bench_ring)
# Those that need a cluster.
EXTRA_DIST += bench/cluster.bash bench/commit.sh bench/recovery.sh
EXTRA_PROGRAMS += bench/saves
bench_saves_SOURCES = bench/saves.c
bench_saves_CPPFLAGS = -I$(top_srcdir)/include -D_POSIX_C_SOURCE=200809L
bench_saves_LDADD = libmscale.la
CLEANFILES += bench/saves
bench: bench/saves examples/heat
EXTRA_PROGRAMS += bench/reader
bench_reader_SOURCES = bench/reader.c
bench_reader_CPPFLAGS = -I$(top_srcdir)/include -D_POSIX_C_SOURCE=200809L
bench_reader_LDADD = libmscale.la
EXTRA_DIST += bench/reader.sh
CLEANFILES += bench/reader
bench: bench/reader
