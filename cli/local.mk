# Floor 4: the command.  A file per subcommand; main.cpp is their table.
bin_PROGRAMS += mscale
mscale_SOURCES = \
  cli/check.cpp \
  cli/commands.hpp \
  cli/daemon_client.cpp cli/daemon_client.hpp \
  cli/doctor.cpp \
  cli/exec.cpp \
  cli/explain.cpp \
  cli/inventory.cpp \
  cli/main.cpp \
  cli/output.cpp cli/output.hpp \
  cli/plan.cpp \
  cli/port_probe.cpp cli/port_probe.hpp \
  cli/recorded_job.cpp cli/recorded_job.hpp \
  cli/slurm_view.hpp \
  cli/sources.cpp cli/sources.hpp \
  cli/status.cpp \
  cli/topology.cpp
mscale_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
mscale_LDADD = libcontract.la libhal.la libhaldata.la libbase.la
if HAVE_SLURM
mscale_SOURCES += cli/slurm_view.cpp
mscale_LDADD += $(SLURM_LIBS)
else
mscale_SOURCES += cli/without_slurm.cpp
endif
