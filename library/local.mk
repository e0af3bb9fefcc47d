# Floor 4: libmscale.so, the C API.  What decides is liblibrary.la, so that its tests reach it; api.cpp is the boundary.
# Of the lower floors it takes the sources that it needs instead of their libraries: a program in a container has to find
# nothing but ISA-L beside it.
noinst_LTLIBRARIES += liblibrary.la
liblibrary_sources = \
  library/channel.cpp library/channel.hpp library/packet.hpp \
  library/client.cpp library/client_exit.cpp library/client_parts.cpp library/client_restart.cpp library/client_save.cpp \
  library/client.hpp \
  library/copy.cpp library/copy.hpp \
  library/departure.cpp library/departure.hpp \
  library/find_keeper.cpp library/find_keeper.hpp \
  library/io/buffer_pool.cpp library/io/buffer_pool.hpp \
  library/io/plain_queue.cpp library/io/read_queue.hpp \
  library/io/read_file.cpp library/io/read_file.hpp \
  library/io/read_plan.cpp library/io/read_plan.hpp \
  library/io/reader.cpp library/io/reader.hpp \
  library/io/role_reader.cpp library/io/role_reader.hpp \
  library/memory.cpp library/memory.hpp \
  library/memory_policy.cpp library/memory_policy.hpp \
  library/notice.cpp library/notice.hpp \
  library/parts.cpp library/parts.hpp \
  library/policy.cpp library/policy.hpp \
  library/rank.cpp library/rank.hpp \
  library/role.cpp library/role.hpp \
  library/restore.cpp library/restore.hpp \
  library/save.cpp library/save.hpp \
  library/session.cpp library/session.hpp \
  library/status.cpp library/status.hpp \
  library/terms.cpp library/terms.hpp \
  library/written.cpp library/written.hpp \
  base/code.cpp base/cpu_list.cpp base/cpu_set.cpp base/error.cpp base/format.cpp base/json.cpp base/text.cpp \
  contract/role_place.cpp \
  recovery/boxes.cpp recovery/check_manifest.cpp recovery/checksum.cpp recovery/cursor.cpp recovery/manifest.cpp \
  recovery/reshard.cpp recovery/segment.cpp recovery/slot.cpp
# liburing's headers only: the library itself is found when a reader is opened.
if HAVE_URING
liblibrary_sources += library/io/liburing_calls.cpp library/io/liburing_calls.hpp library/io/ring_queue.cpp
else
liblibrary_sources += library/io/without_ring.cpp
endif
EXTRA_DIST += library/io/liburing_calls.cpp library/io/liburing_calls.hpp library/io/ring_queue.cpp library/io/without_ring.cpp
if UNITY
nodist_liblibrary_la_SOURCES = library/unity.cpp
else
liblibrary_la_SOURCES = $(liblibrary_sources)
endif
library/unity.cpp: Makefile
	$(call unite,$(liblibrary_sources))
liblibrary_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/include $(ISAL_CFLAGS) $(URING_CFLAGS)
liblibrary_la_LIBADD = $(ISAL_LIBS)

lib_LTLIBRARIES += libmscale.la
libmscale_la_SOURCES = library/api.cpp library/api_io.cpp library/api_parts.cpp library/api_roles.cpp library/boundary.cpp library/boundary.hpp \
  library/process.cpp library/process.hpp
libmscale_la_CPPFLAGS = $(liblibrary_la_CPPFLAGS)
libmscale_la_LIBADD = liblibrary.la
libmscale_la_LDFLAGS = -version-info 1:0:1 -Wl,-z,now -Wl,-z,nodelete -Wl,--version-script=$(top_srcdir)/library/exports.map
EXTRA_libmscale_la_DEPENDENCIES = library/exports.map

mscaleincludedir = $(includedir)/mscale
mscaleinclude_HEADERS = include/mscale/io.h include/mscale/mscale.h
pkgconfigdir = $(libdir)/pkgconfig
nodist_pkgconfig_DATA = library/mscale.pc
EXTRA_DIST += library/exports.map library/mscale.pc.in
CLEANFILES += library/mscale.pc
library/mscale.pc: library/mscale.pc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) library && \
	  sed -e 's|@prefix[@]|$(prefix)|' -e 's|@libdir[@]|$(libdir)|' -e 's|@includedir[@]|$(includedir)|' \
	    -e 's|@PACKAGE_VERSION[@]|$(PACKAGE_VERSION)|' $(top_srcdir)/library/mscale.pc.in >$@
