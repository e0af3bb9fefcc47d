# Floor 3: snapshots of a job's state and the way back.  ISA-L is seen here only.
noinst_LTLIBRARIES += librecovery.la
librecovery_la_SOURCES = \
  recovery/bytes.hpp \
  recovery/checksum.cpp recovery/checksum.hpp \
  recovery/choice.cpp recovery/choice.hpp \
  recovery/commit.cpp recovery/commit.hpp \
  recovery/extent.hpp \
  recovery/manifest.cpp recovery/manifest.hpp recovery/check_manifest.cpp \
  recovery/placement.cpp recovery/placement.hpp \
  recovery/segment.cpp recovery/segment.hpp \
  recovery/slot.cpp recovery/slot.hpp
librecovery_la_CPPFLAGS = $(AM_CPPFLAGS) $(ISAL_CFLAGS)
librecovery_la_LIBADD = libbase.la $(ISAL_LIBS)
