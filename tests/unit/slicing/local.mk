# Floor 3 on trees of files in place of a machine; what needs the kernel is in tests/cli/node.bats and node_kills.bats.
check_PROGRAMS += tests/unit/slicing/unit_slicing
TESTS += tests/unit/slicing/unit_slicing
unit_slicing_sources = tests/unit/check.hpp tests/unit/slicing/suites.hpp \
  tests/unit/slicing/main.cpp \
  tests/unit/slicing/hugepages.cpp \
  tests/unit/slicing/ledger.cpp \
  tests/unit/slicing/leftovers.cpp \
  tests/unit/slicing/routes.cpp
if UNITY
nodist_tests_unit_slicing_unit_slicing_SOURCES = tests/unit/slicing/unity.cpp
else
tests_unit_slicing_unit_slicing_SOURCES = $(unit_slicing_sources)
endif
tests/unit/slicing/unity.cpp: Makefile
	$(call unite,$(unit_slicing_sources))
tests_unit_slicing_unit_slicing_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_slicing_unit_slicing_LDADD = libslicing.la $(CHECK_LIBS)
