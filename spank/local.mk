# spank_mscale.so.  What decides is libspank.la and knows Slurm only by slurm.hpp, so that its tests run without Slurm.
noinst_LTLIBRARIES += libspank.la
libspank_sources = \
  spank/arguments.cpp spank/arguments.hpp \
  spank/edge.cpp spank/edge.hpp \
  spank/environment.cpp spank/environment.hpp \
  spank/epilog.cpp spank/epilog.hpp \
  spank/node_program.cpp spank/node_program.hpp \
  spank/options.cpp spank/options.hpp \
  spank/prolog.cpp spank/prolog.hpp \
  spank/slurm.hpp \
  spank/slurm_conf.cpp spank/slurm_conf.hpp \
  spank/step.cpp spank/step.hpp \
  spank/submit.cpp spank/submit.hpp \
  spank/task.cpp spank/task.hpp
if UNITY
nodist_libspank_la_SOURCES = spank/unity.cpp
else
libspank_la_SOURCES = $(libspank_sources)
endif
spank/unity.cpp: Makefile
	$(call unite,$(libspank_sources))

if HAVE_SLURM
plugin_LTLIBRARIES += spank_mscale.la
endif
spank_mscale_la_SOURCES = spank/plugin.cpp spank/spank_slurm.cpp spank/spank_slurm.hpp
spank_mscale_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
spank_mscale_la_LIBADD = libspank.la libcontract.la
spank_mscale_la_LDFLAGS = $(PLUGIN_LDFLAGS) -Wl,--version-script=$(top_srcdir)/spank/exports.map
EXTRA_spank_mscale_la_DEPENDENCIES = spank/exports.map
EXTRA_DIST += spank/exports.map
