# The transport of snapshots: one suite for all ways of the data.  Over TCP here; by RDMA in the guest (tests/guest).
if HAVE_SLURM
if HAVE_MUNGE
check_PROGRAMS += tests/unit/transport/unit_transport
TESTS += tests/unit/transport/unit_transport
unit_transport_sources = tests/unit/check.hpp tests/unit/transport/suites.hpp \
  tests/unit/keeper/snapshots.hpp \
  tests/unit/transport/main.cpp \
  tests/unit/transport/carrier.cpp \
  tests/unit/transport/ends.cpp tests/unit/transport/ends.hpp \
  tests/unit/transport/faults.cpp \
  tests/unit/transport/transfers.cpp
if HAVE_VERBS
unit_transport_sources += tests/unit/transport/verbs.cpp
else
unit_transport_sources += tests/unit/transport/without_verbs.cpp
endif
if UNITY
nodist_tests_unit_transport_unit_transport_SOURCES = tests/unit/transport/unity.cpp
else
tests_unit_transport_unit_transport_SOURCES = $(unit_transport_sources)
endif
tests/unit/transport/unity.cpp: Makefile
	$(call unite,$(unit_transport_sources))
tests_unit_transport_unit_transport_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_transport_unit_transport_LDADD = libmscaled.la $(CHECK_LIBS)
endif
endif
EXTRA_DIST += tests/unit/transport/verbs.cpp tests/unit/transport/without_verbs.cpp
