# What of the command can be tested without a machine around it.
check_PROGRAMS += tests/unit/cli/unit_cli
TESTS += tests/unit/cli/unit_cli
tests_unit_cli_unit_cli_SOURCES = tests/unit/check.hpp \
  cli/port_probe.cpp cli/port_probe.hpp \
  cli/recorded_job.cpp cli/recorded_job.hpp cli/slurm_view.hpp \
  tests/unit/cli/main.cpp tests/unit/cli/suites.hpp \
  tests/unit/cli/port_probe.cpp tests/unit/cli/recorded_job.cpp
tests_unit_cli_unit_cli_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_cli_unit_cli_LDADD = libcontract.la libhal.la libhaldata.la libbase.la $(CHECK_LIBS)
