# What job_submit decides, without Slurm, and the check of gres.conf's lines.
check_PROGRAMS += tests/unit/submit/unit_submit
TESTS += tests/unit/submit/unit_submit
unit_submit_sources = tests/unit/check.hpp tests/unit/submit/suites.hpp \
  gres/slice_lines.cpp gres/slice_lines.hpp \
  tests/unit/submit/main.cpp \
  tests/unit/submit/change.cpp \
  tests/unit/submit/decision.cpp \
  tests/unit/submit/machines.cpp \
  tests/unit/submit/node_list.cpp \
  tests/unit/submit/policy_files.cpp \
  tests/unit/submit/slices.cpp \
  tests/unit/submit/variables.cpp \
  tests/unit/submit/ways_back.cpp
if UNITY
nodist_tests_unit_submit_unit_submit_SOURCES = tests/unit/submit/unity.cpp
else
tests_unit_submit_unit_submit_SOURCES = $(unit_submit_sources)
endif
tests/unit/submit/unity.cpp: Makefile
	$(call unite,$(unit_submit_sources))
tests_unit_submit_unit_submit_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_submit_unit_submit_LDADD = libsubmit.la libcontract.la $(CHECK_LIBS)

# What maps Slurm's structures and talks to munged, with the allocator of slurmctld played by the test.
if HAVE_SLURM
if HAVE_MUNGE
check_PROGRAMS += tests/unit/submit/unit_submit_slurm
TESTS += tests/unit/submit/unit_submit_slurm
unit_submit_slurm_sources = tests/unit/check.hpp tests/unit/submit/suites.hpp \
  submit/credential.cpp submit/host_list.cpp submit/job_description.cpp \
  tests/unit/submit/slurm.cpp
if UNITY
nodist_tests_unit_submit_unit_submit_slurm_SOURCES = tests/unit/submit/slurm_unity.cpp
else
tests_unit_submit_unit_submit_slurm_SOURCES = $(unit_submit_slurm_sources)
endif
tests/unit/submit/slurm_unity.cpp: Makefile
	$(call unite,$(unit_submit_slurm_sources))
tests_unit_submit_unit_submit_slurm_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) $(SLURM_CPPFLAGS) $(MUNGE_CFLAGS)
tests_unit_submit_unit_submit_slurm_LDADD = libsubmit.la libcontract.la $(CHECK_LIBS) $(SLURM_LIBS) $(MUNGE_LIBS)
endif
endif
