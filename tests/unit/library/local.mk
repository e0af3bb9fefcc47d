# The C library: rank, policy, save and restore in memory of the test, and against a double of the keeper.
check_PROGRAMS += tests/unit/library/unit_library
TESTS += tests/unit/library/unit_library
unit_library_sources = tests/unit/check.hpp tests/unit/library/suites.hpp \
  tests/unit/library/main.cpp \
  tests/unit/library/api.cpp \
  tests/unit/library/client.cpp \
  tests/unit/library/copy.cpp \
  tests/unit/library/departure.cpp \
  tests/unit/library/io.cpp tests/unit/library/io_calls.cpp \
  tests/unit/library/keeper_double.cpp tests/unit/library/keeper_double.hpp \
  tests/unit/library/leaving.cpp \
  tests/unit/library/notice.cpp \
  tests/unit/library/open_reader.hpp tests/unit/library/scratch_file.hpp \
  tests/unit/library/parts.cpp \
  tests/unit/library/policy.cpp \
  tests/unit/library/rank.cpp \
  tests/unit/library/refused_call.hpp \
  tests/unit/library/restart.cpp \
  tests/unit/library/role.cpp \
  tests/unit/library/save.cpp \
  tests/unit/library/terms.cpp \
  tests/unit/library/written.cpp tests/unit/library/written_states.hpp
if UNITY
nodist_tests_unit_library_unit_library_SOURCES = tests/unit/library/unity.cpp
else
tests_unit_library_unit_library_SOURCES = $(unit_library_sources)
endif
tests/unit/library/unity.cpp: Makefile
	$(call unite,$(unit_library_sources))
tests_unit_library_unit_library_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/include $(CHECK_CFLAGS)
tests_unit_library_unit_library_LDADD = libmscale.la liblibrary.la $(CHECK_LIBS)
EXTRA_tests_unit_library_unit_library_DEPENDENCIES = tests/doubles/keeper/keeper

# The same sources with stores that are counted: a writer is killed before each of them in turn.
check_PROGRAMS += tests/unit/library/unit_torn
TESTS += tests/unit/library/unit_torn
tests_unit_library_unit_torn_SOURCES = tests/unit/check.hpp tests/unit/library/torn.cpp \
  tests/unit/library/counted_stores.hpp library/copy.cpp library/save.cpp \
  recovery/check_manifest.cpp recovery/checksum.cpp recovery/manifest.cpp recovery/segment.cpp recovery/slot.cpp
# Stores past the cache can't be counted.
tests_unit_library_unit_torn_CPPFLAGS = $(AM_CPPFLAGS) -U__SSE2__ -include $(top_srcdir)/tests/unit/library/counted_stores.hpp \
  $(ISAL_CFLAGS) $(CHECK_CFLAGS)
tests_unit_library_unit_torn_LDADD = libbase.la $(ISAL_LIBS) $(CHECK_LIBS)
