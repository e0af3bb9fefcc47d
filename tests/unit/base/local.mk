# Floor 0, a file per header.
check_PROGRAMS += tests/unit/base/unit_base
TESTS += tests/unit/base/unit_base
unit_base_sources = tests/unit/check.hpp tests/unit/base/suites.hpp \
  tests/unit/base/main.cpp \
  tests/unit/base/code.cpp \
  tests/unit/base/cpu_set.cpp \
  tests/unit/base/files.cpp \
  tests/unit/base/fill_memory.cpp \
  tests/unit/base/ini.cpp \
  tests/unit/base/json.cpp \
  tests/unit/base/log.cpp \
  tests/unit/base/process.cpp \
  tests/unit/base/text.cpp
if UNITY
nodist_tests_unit_base_unit_base_SOURCES = tests/unit/base/unity.cpp
else
tests_unit_base_unit_base_SOURCES = $(unit_base_sources)
endif
tests/unit/base/unity.cpp: Makefile
	$(call unite,$(unit_base_sources))
tests_unit_base_unit_base_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_base_unit_base_LDADD = libbase.la $(CHECK_LIBS)
