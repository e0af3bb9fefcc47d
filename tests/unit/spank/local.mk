# The plugin without Slurm: fake_slurm.hpp is the Slurm, a shell script is mscale-node.
if HAVE_CHECK
check_PROGRAMS += tests/unit/spank/unit_spank
TESTS += tests/unit/spank/unit_spank
endif
unit_spank_sources = \
  tests/unit/spank/main.cpp tests/unit/spank/suites.hpp \
  tests/unit/spank/fake_slurm.hpp tests/unit/spank/site_directory.hpp \
  tests/unit/spank/arguments.cpp \
  tests/unit/spank/edge.cpp \
  tests/unit/spank/environment.cpp \
  tests/unit/spank/prolog.cpp \
  tests/unit/spank/step.cpp \
  tests/unit/spank/submit.cpp \
  tests/unit/spank/task.cpp
if UNITY
nodist_tests_unit_spank_unit_spank_SOURCES = tests/unit/spank/unity.cpp
else
tests_unit_spank_unit_spank_SOURCES = $(unit_spank_sources)
endif
tests/unit/spank/unity.cpp: Makefile
	$(call unite,$(unit_spank_sources))
tests_unit_spank_unit_spank_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_spank_unit_spank_LDADD = libspank.la libcontract.la $(CHECK_LIBS)
