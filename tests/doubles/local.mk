# Stand-ins for hardware that this machine doesn't have: found by path, never linked.
# -rpath makes libtool build a shared library although it is never installed.
noinst_LTLIBRARIES += tests/doubles/nvml/libnvidia-ml-double.la
tests_doubles_nvml_libnvidia_ml_double_la_SOURCES = \
  tests/doubles/nvml/nvml.cpp \
  tests/doubles/nvml/description.cpp tests/doubles/nvml/description.hpp
tests_doubles_nvml_libnvidia_ml_double_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
