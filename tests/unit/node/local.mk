# The pure parts of mscale-node.
check_PROGRAMS += tests/unit/node/unit_node
TESTS += tests/unit/node/unit_node
tests_unit_node_unit_node_SOURCES = tests/unit/check.hpp tests/unit/node/suites.hpp \
  tests/unit/node/main.cpp tests/unit/node/acts.cpp
tests_unit_node_unit_node_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_node_unit_node_LDADD = libnode.la $(CHECK_LIBS)
