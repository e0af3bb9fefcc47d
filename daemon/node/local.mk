# mscale-node: the acts of root on a node.  libnode is all of it but main, for the tests.
noinst_LTLIBRARIES += libnode.la
libnode_sources = \
  daemon/node/again.cpp daemon/node/again.hpp \
  daemon/node/apply.cpp daemon/node/apply.hpp \
  daemon/node/contradictions.cpp daemon/node/contradictions.hpp \
  daemon/node/credential.hpp \
  daemon/node/gres_indices.cpp \
  daemon/node/job_environment.cpp daemon/node/job_environment.hpp \
  daemon/node/release.cpp daemon/node/release.hpp \
  daemon/node/slurm.hpp \
  daemon/node/slurm_user.cpp daemon/node/slurm_user.hpp \
  daemon/node/step.cpp daemon/node/step.hpp \
  daemon/node/trust.cpp daemon/node/trust.hpp
EXTRA_DIST += daemon/node/credential.cpp daemon/node/without_munge.cpp daemon/node/slurm.cpp daemon/node/without_slurm.cpp
if UNITY
nodist_libnode_la_SOURCES = daemon/node/unity.cpp
else
libnode_la_SOURCES = $(libnode_sources)
endif
daemon/node/unity.cpp: Makefile
	$(call unite,$(libnode_sources))
libnode_la_CPPFLAGS = $(AM_CPPFLAGS)
libnode_la_LIBADD = libslicing.la libcontract.la libhal.la libbase.la
if HAVE_MUNGE
libnode_sources += daemon/node/credential.cpp
libnode_la_CPPFLAGS += $(MUNGE_CFLAGS)
libnode_la_LIBADD += $(MUNGE_LIBS)
else
libnode_sources += daemon/node/without_munge.cpp
endif
if HAVE_SLURM
libnode_sources += daemon/node/slurm.cpp
libnode_la_CPPFLAGS += $(SLURM_CPPFLAGS)
libnode_la_LIBADD += $(SLURM_LIBS)
else
libnode_sources += daemon/node/without_slurm.cpp
endif
sbin_PROGRAMS += mscale-node
mscale_node_SOURCES = daemon/node/main.cpp
mscale_node_LDADD = libnode.la
