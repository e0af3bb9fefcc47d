# The parts of mscaled, without Slurm and munge.
if HAVE_SLURM
if HAVE_MUNGE
check_PROGRAMS += tests/unit/daemon/unit_daemon
TESTS += tests/unit/daemon/unit_daemon
unit_daemon_sources = tests/unit/check.hpp tests/unit/daemon/suites.hpp \
  tests/unit/daemon/main.cpp \
  tests/unit/daemon/address_book.cpp \
  tests/unit/daemon/attached_runs.cpp \
  tests/unit/daemon/contract_losses.cpp tests/unit/daemon/contract_saves.cpp \
  tests/unit/daemon/contract_state.cpp tests/unit/daemon/reports.hpp \
  tests/unit/daemon/departed_jobs.cpp \
  tests/unit/daemon/drain.cpp \
  tests/unit/daemon/findings.cpp \
  tests/unit/daemon/framing.cpp \
  tests/unit/daemon/host_sockets.cpp \
  tests/unit/daemon/jobs.cpp \
  tests/unit/daemon/loop.cpp \
  tests/unit/daemon/message.cpp \
  tests/unit/daemon/part_search.cpp \
  tests/unit/daemon/parts.cpp \
  tests/unit/daemon/post.cpp \
  tests/unit/daemon/processes.cpp \
  tests/unit/daemon/report.cpp \
  tests/unit/daemon/restart_counts.cpp \
  tests/unit/daemon/preemptions.cpp \
  tests/unit/daemon/returns.cpp \
  tests/unit/daemon/role_process.cpp \
  tests/unit/daemon/run_relay.cpp \
  tests/unit/daemon/run_service.cpp \
  tests/unit/daemon/seats.cpp \
  tests/unit/daemon/site_file.cpp \
  tests/unit/daemon/slurm_domains.cpp \
  tests/unit/daemon/sockets.cpp \
  tests/unit/daemon/status.cpp \
  tests/unit/daemon/status_service.cpp \
  tests/unit/daemon/survey.cpp \
  tests/unit/daemon/waiting_stepds.cpp \
  tests/unit/hal/tree.cpp tests/unit/hal/tree.hpp
if UNITY
nodist_tests_unit_daemon_unit_daemon_SOURCES = tests/unit/daemon/unity.cpp
else
tests_unit_daemon_unit_daemon_SOURCES = $(unit_daemon_sources)
endif
tests/unit/daemon/unity.cpp: Makefile
	$(call unite,$(unit_daemon_sources))
tests_unit_daemon_unit_daemon_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_daemon_unit_daemon_LDADD = libmscaled.la $(CHECK_LIBS)
endif
endif
