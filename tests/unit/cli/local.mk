# What of the command can be tested without a machine around it.
check_PROGRAMS += tests/unit/cli/unit_cli
TESTS += tests/unit/cli/unit_cli
unit_cli_sources = tests/unit/check.hpp \
  cli/machine_classes.cpp cli/machine_classes.hpp \
  cli/port_probe.cpp cli/port_probe.hpp \
  cli/recorded_job.cpp cli/recorded_job.hpp cli/slurm_view.hpp \
  cli/recovery_time.cpp cli/recovery_time.hpp \
  cli/snapshot_ground.cpp cli/snapshot_ground.hpp \
  cli/run/choose_nodes.cpp cli/run/choose_nodes.hpp \
  cli/run/job_end.cpp cli/run/job_end.hpp \
  cli/run/losses.cpp cli/run/losses.hpp \
  cli/run/recovery_story.cpp cli/run/recovery_story.hpp \
  cli/run/run_verdict.cpp cli/run/run_verdict.hpp \
  cli/run/run_view.cpp cli/run/run_view.hpp \
  cli/run/srun_line.cpp cli/run/srun_line.hpp \
  cli/run/supervisor.cpp cli/run/supervisor_end.cpp cli/run/supervisor_gone.cpp cli/run/supervisor_launch.cpp cli/run/supervisor_parts.cpp cli/run/supervisor.hpp \
  tests/unit/cli/run_decisions.cpp tests/unit/cli/run_line.cpp tests/unit/cli/run_supervisor.cpp \
  tests/unit/cli/machine_classes.cpp \
  tests/unit/cli/run_parts.cpp \
  tests/unit/cli/run_silence.cpp \
  tests/unit/cli/run_verdict.cpp \
  tests/unit/cli/run_end.cpp tests/unit/cli/run_gone.cpp tests/unit/cli/run_stage.hpp \
  tests/unit/cli/main.cpp tests/unit/cli/suites.hpp \
  tests/unit/cli/port_probe.cpp tests/unit/cli/recorded_job.cpp \
  tests/unit/cli/recovery_time.cpp tests/unit/cli/snapshot_ground.cpp
if UNITY
nodist_tests_unit_cli_unit_cli_SOURCES = tests/unit/cli/unity.cpp
else
tests_unit_cli_unit_cli_SOURCES = $(unit_cli_sources)
endif
tests/unit/cli/unity.cpp: Makefile
	$(call unite,$(unit_cli_sources))
tests_unit_cli_unit_cli_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_cli_unit_cli_LDADD = librecovery.la libcontract.la libhal.la libhaldata.la libbase.la $(CHECK_LIBS)
