# mscale-charge: one segment of memory, charged to a job.
if HAVE_SLURM
if HAVE_MUNGE
sbin_PROGRAMS += mscale-charge
mscale_charge_SOURCES = daemon/charge/main.cpp daemon/charge/charge_exit.hpp \
  daemon/charge/job_cgroup.cpp daemon/charge/job_cgroup.hpp
mscale_charge_CPPFLAGS = $(AM_CPPFLAGS)
mscale_charge_LDADD = libbase.la
endif
endif
