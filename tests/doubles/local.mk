# Stand-ins for hardware that this machine doesn't have: found by path, never linked.
# -rpath makes libtool build a shared library although it is never installed.
noinst_LTLIBRARIES += tests/doubles/nvml/libnvidia-ml-double.la
tests_doubles_nvml_libnvidia_ml_double_la_SOURCES = \
  tests/doubles/nvml/nvml.cpp \
  tests/doubles/nvml/description.cpp tests/doubles/nvml/description.hpp
tests_doubles_nvml_libnvidia_ml_double_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere

# Stand-ins for the tests on a real Slurm.
dist_noinst_SCRIPTS += tests/doubles/mscale-node

if HAVE_SLURM
check_PROGRAMS += tests/doubles/api_client
check_LTLIBRARIES += tests/doubles/spank_throwing.la tests/doubles/spank_empty.la \
  tests/doubles/job_submit_empty.la
endif
tests_doubles_api_client_SOURCES = tests/doubles/api_client.cpp
tests_doubles_api_client_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
tests_doubles_api_client_LDADD = $(SLURM_LIBS)

# The plugin itself, with a Slurm that throws between them.  -rpath: else libtool builds no shared object.
tests_doubles_spank_throwing_la_SOURCES = spank/plugin.cpp spank/spank_slurm.cpp tests/doubles/throwing_spank.cpp
tests_doubles_spank_throwing_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
tests_doubles_spank_throwing_la_LIBADD = libspank.la libcontract.la
tests_doubles_spank_throwing_la_LDFLAGS = $(PLUGIN_LDFLAGS) -rpath /nowhere \
  -Wl,--version-script=$(top_srcdir)/spank/exports.map \
  -Wl,--wrap=spank_get_item -Wl,--wrap=spank_option_register -Wl,--wrap=spank_job_control_unsetenv -Wl,--wrap=spank_setenv \
  -Wl,--wrap=sched_setaffinity

# A SPANK plugin that does nothing, against which ours is measured.
tests_doubles_spank_empty_la_SOURCES = tests/doubles/spank_empty.cpp
tests_doubles_spank_empty_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
tests_doubles_spank_empty_la_LDFLAGS = $(PLUGIN_LDFLAGS) -rpath /nowhere

# A job_submit plugin that does nothing, against which ours is measured.
tests_doubles_job_submit_empty_la_SOURCES = tests/doubles/job_submit_empty.cpp
tests_doubles_job_submit_empty_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
tests_doubles_job_submit_empty_la_LDFLAGS = $(PLUGIN_LDFLAGS) -rpath /nowhere
