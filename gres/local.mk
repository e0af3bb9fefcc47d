# The GRES plugin gres/sm: one file per slice, identities to prolog, job, steps.
EXTRA_DIST += gres/exports.map
if HAVE_SLURM
plugin_LTLIBRARIES += gres_sm.la
gres_sm_la_SOURCES = gres/plugin.cpp gres/slice_lines.cpp gres/slice_lines.hpp gres/slurm_abi.hpp
gres_sm_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
gres_sm_la_LDFLAGS = $(PLUGIN_LDFLAGS) -Wl,--version-script=$(srcdir)/gres/exports.map
gres_sm_la_DEPENDENCIES = gres/exports.map
endif
