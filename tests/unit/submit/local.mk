# What job_submit decides, without Slurm, and the check of gres.conf's lines.
check_PROGRAMS += tests/unit/submit/unit_submit
TESTS += tests/unit/submit/unit_submit
tests_unit_submit_unit_submit_SOURCES = tests/unit/check.hpp tests/unit/submit/suites.hpp \
  gres/slice_lines.cpp gres/slice_lines.hpp \
  tests/unit/submit/main.cpp \
  tests/unit/submit/change.cpp \
  tests/unit/submit/decision.cpp \
  tests/unit/submit/machines.cpp \
  tests/unit/submit/policy_files.cpp \
  tests/unit/submit/slices.cpp \
  tests/unit/submit/variables.cpp
tests_unit_submit_unit_submit_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_submit_unit_submit_LDADD = libsubmit.la libcontract.la $(CHECK_LIBS)
