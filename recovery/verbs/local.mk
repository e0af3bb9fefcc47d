# Snapshots by RDMA; libibverbs and librdmacm are seen here only, and linked by mscaled alone.
noinst_LTLIBRARIES += libverbs.la
if HAVE_VERBS
libverbs_sources = \
  recovery/verbs/connection.cpp recovery/verbs/connection.hpp \
  recovery/verbs/event.cpp recovery/verbs/event.hpp \
  recovery/verbs/port_address.cpp recovery/verbs/port_address.hpp \
  recovery/verbs/queue.cpp recovery/verbs/queue.hpp \
  recovery/verbs/region.cpp recovery/verbs/region.hpp \
  recovery/verbs/verbs.cpp recovery/verbs/verbs.hpp \
  recovery/verbs/verbs_path.cpp recovery/verbs/verbs_path.hpp
else
libverbs_sources = recovery/verbs/absent.cpp recovery/verbs/verbs.hpp
endif
EXTRA_DIST += recovery/verbs/absent.cpp
if UNITY
nodist_libverbs_la_SOURCES = recovery/verbs/unity.cpp
else
libverbs_la_SOURCES = $(libverbs_sources)
endif
recovery/verbs/unity.cpp: Makefile
	$(call unite,$(libverbs_sources))
libverbs_la_CPPFLAGS = $(AM_CPPFLAGS) $(VERBS_CFLAGS)
libverbs_la_LIBADD = $(VERBS_LIBS)
