# Floor 0, a file per header.
check_PROGRAMS += tests/unit/base/unit_base
TESTS += tests/unit/base/unit_base
tests_unit_base_unit_base_SOURCES = tests/unit/check.hpp tests/unit/base/suites.hpp \
  tests/unit/base/main.cpp \
  tests/unit/base/code.cpp \
  tests/unit/base/cpu_set.cpp \
  tests/unit/base/files.cpp \
  tests/unit/base/ini.cpp \
  tests/unit/base/json.cpp \
  tests/unit/base/log.cpp \
  tests/unit/base/process.cpp \
  tests/unit/base/text.cpp
tests_unit_base_unit_base_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_base_unit_base_LDADD = libbase.la $(CHECK_LIBS)
