# mscale-spill: snapshots as files in users' directories.  liburing is seen here only.  libspill is all of it but main, for
# the tests.
if HAVE_SLURM
if HAVE_MUNGE
noinst_LTLIBRARIES += libspill.la
libspill_sources = \
  daemon/keeper/segment_memory.cpp daemon/keeper/segment_memory.hpp \
  daemon/mscaled/message.cpp daemon/mscaled/message.hpp \
  daemon/spill/directory.cpp daemon/spill/directory.hpp \
  daemon/spill/identity.cpp daemon/spill/identity.hpp \
  daemon/spill/request.cpp daemon/spill/request.hpp \
  daemon/spill/snapshot_file.cpp daemon/spill/snapshot_file.hpp \
  daemon/spill/write_queue.cpp daemon/spill/write_queue.hpp
EXTRA_DIST += daemon/spill/ring_queue.cpp daemon/spill/without_ring.cpp
if UNITY
nodist_libspill_la_SOURCES = daemon/spill/unity.cpp
else
libspill_la_SOURCES = $(libspill_sources)
endif
daemon/spill/unity.cpp: Makefile
	$(call unite,$(libspill_sources))
libspill_la_CPPFLAGS = $(AM_CPPFLAGS)
libspill_la_LIBADD = librecovery.la libhaldata.la libbase.la
if HAVE_URING
libspill_sources += daemon/spill/ring_queue.cpp
libspill_la_CPPFLAGS += $(URING_CFLAGS)
libspill_la_LIBADD += $(URING_LIBS)
else
libspill_sources += daemon/spill/without_ring.cpp
endif
sbin_PROGRAMS += mscale-spill
mscale_spill_SOURCES = daemon/spill/main.cpp
mscale_spill_LDADD = libspill.la
endif
endif
