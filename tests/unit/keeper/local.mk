# What keeps and carries snapshots: real memory and real streams, no Slurm.
if HAVE_SLURM
if HAVE_MUNGE
check_PROGRAMS += tests/unit/keeper/unit_keeper
TESTS += tests/unit/keeper/unit_keeper
unit_keeper_sources = tests/unit/check.hpp tests/unit/keeper/suites.hpp tests/unit/keeper/snapshots.hpp \
  tests/unit/keeper/main.cpp \
  tests/unit/keeper/adoption.cpp \
  tests/unit/keeper/charge.cpp \
  tests/unit/keeper/coding.cpp tests/unit/keeper/coding_nodes.hpp \
  tests/unit/keeper/coordinator.cpp tests/unit/keeper/coordinator_spill.cpp tests/unit/keeper/nodes.hpp \
  tests/unit/keeper/exits.cpp tests/unit/keeper/gone_ranks.cpp \
  tests/unit/keeper/messages.cpp \
  tests/unit/keeper/progress_book.cpp \
  tests/unit/keeper/restore_round.cpp \
  tests/unit/keeper/run_start.cpp \
  tests/unit/keeper/segment_store.cpp \
  tests/unit/keeper/snapshot_server.cpp \
  tests/unit/keeper/timed_saves.cpp
if UNITY
nodist_tests_unit_keeper_unit_keeper_SOURCES = tests/unit/keeper/unity.cpp
else
tests_unit_keeper_unit_keeper_SOURCES = $(unit_keeper_sources)
endif
tests/unit/keeper/unity.cpp: Makefile
	$(call unite,$(unit_keeper_sources))
tests_unit_keeper_unit_keeper_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_keeper_unit_keeper_LDADD = libmscaled.la $(CHECK_LIBS)
EXTRA_tests_unit_keeper_unit_keeper_DEPENDENCIES = mscale-holder mscale-charge
endif
endif
