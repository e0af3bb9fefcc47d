# The job_submit plugin.  libsubmit.la is what it decides, without Slurm; the rest maps job_desc_msg_t and talks to slurmctld.
noinst_LTLIBRARIES += libsubmit.la
libsubmit_sources = \
  submit/candidates.cpp submit/candidates.hpp \
  submit/decision.cpp submit/decision.hpp \
  submit/file_stamps.cpp submit/file_stamps.hpp \
  submit/helper_thread.cpp submit/helper_thread.hpp \
  submit/job_change.cpp submit/job_change.hpp \
  submit/job_request.hpp \
  submit/job_shape.cpp submit/job_shape.hpp \
  submit/job_variables.cpp submit/job_variables.hpp \
  submit/node_list.cpp submit/node_list.hpp \
  submit/judgement.cpp submit/judgement.hpp \
  submit/policy.hpp \
  submit/policy_files.cpp submit/policy_files.hpp \
  submit/refusal_text.cpp submit/refusal_text.hpp \
  submit/rulings.cpp submit/rulings.hpp \
  submit/slice_request.cpp submit/slice_request.hpp \
  submit/spread.cpp submit/spread.hpp \
  submit/ways_back.cpp submit/ways_back.hpp
if UNITY
nodist_libsubmit_la_SOURCES = submit/unity.cpp
else
libsubmit_la_SOURCES = $(libsubmit_sources)
endif
submit/unity.cpp: Makefile
	$(call unite,$(libsubmit_sources))

EXTRA_DIST += submit/exports.map
if HAVE_SLURM
if HAVE_MUNGE
plugin_LTLIBRARIES += job_submit_mscale.la
job_submit_sources = \
  submit/credential.cpp submit/credential.hpp \
  submit/host_list.cpp submit/host_list.hpp \
  submit/job_description.cpp submit/job_description.hpp \
  submit/job_lookup.cpp submit/job_lookup.hpp \
  submit/plugin.cpp \
  submit/slurm_abi.hpp
if UNITY
nodist_job_submit_mscale_la_SOURCES = submit/plugin_unity.cpp
else
job_submit_mscale_la_SOURCES = $(job_submit_sources)
endif
submit/plugin_unity.cpp: Makefile
	$(call unite,$(job_submit_sources))
job_submit_mscale_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS) $(MUNGE_CFLAGS)
job_submit_mscale_la_LDFLAGS = $(PLUGIN_LDFLAGS) -Wl,--version-script=$(srcdir)/submit/exports.map
job_submit_mscale_la_LIBADD = libsubmit.la libcontract.la $(MUNGE_LIBS)
endif
endif
