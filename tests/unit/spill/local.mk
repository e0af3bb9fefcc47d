# mscale-spill: real files and real memory, no mscaled.
if HAVE_SLURM
if HAVE_MUNGE
check_PROGRAMS += tests/unit/spill/unit_spill
TESTS += tests/unit/spill/unit_spill
unit_spill_sources = tests/unit/check.hpp tests/unit/spill/suites.hpp tests/unit/keeper/snapshots.hpp \
  tests/unit/spill/main.cpp \
  tests/unit/spill/directory.cpp \
  tests/unit/spill/identity.cpp \
  tests/unit/spill/snapshot_file.cpp \
  tests/unit/spill/write_queue.cpp
if UNITY
nodist_tests_unit_spill_unit_spill_SOURCES = tests/unit/spill/unity.cpp
else
tests_unit_spill_unit_spill_SOURCES = $(unit_spill_sources)
endif
tests/unit/spill/unity.cpp: Makefile
	$(call unite,$(unit_spill_sources))
tests_unit_spill_unit_spill_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_spill_unit_spill_LDADD = libspill.la $(CHECK_LIBS)
endif
endif
