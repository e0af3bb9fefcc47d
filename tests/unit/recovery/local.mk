# Floor 3: the format of snapshots, their commit, placement and choice.
check_PROGRAMS += tests/unit/recovery/unit_recovery
TESTS += tests/unit/recovery/unit_recovery
unit_recovery_sources = tests/unit/check.hpp tests/unit/recovery/suites.hpp \
  tests/unit/recovery/main.cpp \
  tests/unit/recovery/samples.cpp tests/unit/recovery/samples.hpp \
  tests/unit/recovery/admission.cpp \
  tests/unit/recovery/checksum.cpp \
  tests/unit/recovery/coding.cpp \
  tests/unit/recovery/commit.cpp \
  tests/unit/recovery/choice.cpp \
  tests/unit/recovery/cursor.cpp \
  tests/unit/recovery/detector.cpp \
  tests/unit/recovery/frame.cpp \
  tests/unit/recovery/last_step.cpp \
  tests/unit/recovery/manifest.cpp \
  tests/unit/recovery/placement.cpp \
  tests/unit/recovery/redundancy.cpp \
  tests/unit/recovery/reshard.cpp \
  tests/unit/recovery/segment.cpp \
  tests/unit/recovery/slot.cpp \
  tests/unit/recovery/spill.cpp \
  tests/unit/recovery/timeline.cpp
if UNITY
nodist_tests_unit_recovery_unit_recovery_SOURCES = tests/unit/recovery/unity.cpp
else
tests_unit_recovery_unit_recovery_SOURCES = $(unit_recovery_sources)
endif
tests/unit/recovery/unity.cpp: Makefile
	$(call unite,$(unit_recovery_sources))
tests_unit_recovery_unit_recovery_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_recovery_unit_recovery_LDADD = librecovery.la libbase.la $(CHECK_LIBS)
