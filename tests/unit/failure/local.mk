# Who is heard, who is dead and what a site allows: no network, no Slurm.
if HAVE_SLURM
if HAVE_MUNGE
check_PROGRAMS += tests/unit/failure/unit_failure
TESTS += tests/unit/failure/unit_failure
unit_failure_sources = tests/unit/check.hpp tests/unit/failure/suites.hpp \
  tests/unit/failure/main.cpp \
  tests/unit/failure/beat.cpp \
  tests/unit/failure/hearing.cpp \
  tests/unit/failure/inquest.cpp \
  tests/unit/failure/neighbours.cpp \
  tests/unit/failure/policy.cpp \
  tests/unit/failure/sockets.cpp \
  tests/unit/failure/vote_round.cpp
if UNITY
nodist_tests_unit_failure_unit_failure_SOURCES = tests/unit/failure/unity.cpp
else
tests_unit_failure_unit_failure_SOURCES = $(unit_failure_sources)
endif
tests/unit/failure/unity.cpp: Makefile
	$(call unite,$(unit_failure_sources))
tests_unit_failure_unit_failure_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_failure_unit_failure_LDADD = libmscaled.la $(CHECK_LIBS)
endif
endif
