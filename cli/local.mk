# Floor 4: the command.  A file per subcommand; main.cpp is their table.
bin_PROGRAMS += mscale
mscale_sources = \
  cli/check.cpp \
  cli/commands.hpp \
  cli/daemon_client.cpp cli/daemon_client.hpp \
  cli/doctor.cpp \
  cli/exec.cpp \
  cli/explain.cpp \
  cli/inventory.cpp \
  cli/machine_classes.cpp cli/machine_classes.hpp \
  cli/main.cpp \
  cli/output.cpp cli/output.hpp \
  cli/plan.cpp \
  cli/port_probe.cpp cli/port_probe.hpp \
  cli/recorded_job.cpp cli/recorded_job.hpp \
  cli/recovery_time.cpp cli/recovery_time.hpp \
  cli/refused_view.cpp cli/refused_view.hpp \
  cli/slurm_child.cpp cli/slurm_child.hpp \
  cli/slurm_view.hpp \
  cli/snapshot.cpp cli/snapshot_view.cpp cli/snapshot_view.hpp \
  cli/snapshot_ground.cpp cli/snapshot_ground.hpp \
  cli/sources.cpp cli/sources.hpp \
  cli/status.cpp \
  cli/topology.cpp
mscale_sources += \
  cli/run/choose_nodes.cpp cli/run/choose_nodes.hpp \
  cli/run/command.cpp \
  cli/run/job_end.cpp cli/run/job_end.hpp \
  cli/run/losses.cpp cli/run/losses.hpp \
  cli/run/recovery_story.cpp cli/run/recovery_story.hpp \
  cli/run/run_loop.cpp cli/run/run_loop.hpp \
  cli/run/run_verdict.cpp cli/run/run_verdict.hpp \
  cli/run/run_view.cpp cli/run/run_view.hpp \
  cli/run/slurm_acts.hpp \
  cli/run/srun_line.cpp cli/run/srun_line.hpp \
  cli/run/srun_process.cpp cli/run/srun_process.hpp \
  cli/run/supervisor.cpp cli/run/supervisor_end.cpp cli/run/supervisor_gone.cpp cli/run/supervisor_launch.cpp \
  cli/run/supervisor_parts.cpp cli/run/supervisor.hpp
if UNITY
nodist_mscale_SOURCES = cli/unity.cpp
else
mscale_SOURCES = $(mscale_sources)
endif
cli/unity.cpp: Makefile
	$(call unite,$(mscale_sources))
mscale_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
mscale_LDADD = librecovery.la libcontract.la libhal.la libhaldata.la libbase.la
if HAVE_SLURM
mscale_sources += cli/slurm_answer.cpp cli/slurm_answer.hpp cli/slurm_view.cpp cli/run/slurm_acts.cpp
mscale_LDADD += $(SLURM_LIBS)
else
mscale_sources += cli/without_slurm.cpp cli/run/without_slurm.cpp
endif
