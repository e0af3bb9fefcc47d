# The verdict, the plan, the nearest contract and the cases of the field, a file per subject.
check_PROGRAMS += tests/unit/verdict/unit_verdict
TESTS += tests/unit/verdict/unit_verdict
unit_verdict_sources = tests/unit/check.hpp tests/unit/verdict/suites.hpp \
  tests/unit/verdict/main.cpp \
  tests/unit/verdict/machines.cpp tests/unit/verdict/machines.hpp \
  tests/unit/verdict/cases.cpp \
  tests/unit/verdict/cases_text.cpp \
  tests/unit/verdict/cores.cpp \
  tests/unit/verdict/devices.cpp \
  tests/unit/verdict/distribution.cpp \
  tests/unit/verdict/ft.cpp \
  tests/unit/verdict/gpus.cpp \
  tests/unit/verdict/gres_conf.cpp \
  tests/unit/verdict/hugepages.cpp \
  tests/unit/verdict/maps.cpp \
  tests/unit/verdict/nearest.cpp \
  tests/unit/verdict/nearest_least.cpp \
  tests/unit/verdict/plan.cpp \
  tests/unit/verdict/policy.cpp
if UNITY
nodist_tests_unit_verdict_unit_verdict_SOURCES = tests/unit/verdict/unity.cpp
else
tests_unit_verdict_unit_verdict_SOURCES = $(unit_verdict_sources)
endif
tests/unit/verdict/unity.cpp: Makefile
	$(call unite,$(unit_verdict_sources))
tests_unit_verdict_unit_verdict_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_verdict_unit_verdict_LDADD = libhal.la libcontract.la libhaldata.la libbase.la $(CHECK_LIBS)
EXTRA_DIST += tests/fixtures/cases_map.tsv tests/fixtures/faults_map.tsv
