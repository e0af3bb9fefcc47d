# Floor 1, a file per subject; the machine models of fixtures/cases/topo are laid out in a temporary directory.
check_PROGRAMS += tests/unit/hal/unit_hal tests/unit/hal/print_machine
TESTS += tests/unit/hal/unit_hal
unit_hal_sources = tests/unit/check.hpp tests/unit/hal/suites.hpp \
  tests/unit/hal/main.cpp \
  tests/unit/hal/tree.cpp tests/unit/hal/tree.hpp \
  tests/unit/hal/cores.cpp \
  tests/unit/hal/disks.cpp \
  tests/unit/hal/gpu_events.cpp \
  tests/unit/hal/gpus.cpp \
  tests/unit/hal/hwloc.cpp \
  tests/unit/hal/inventory.cpp \
  tests/unit/hal/kernel.cpp \
  tests/unit/hal/machine_json.cpp \
  tests/unit/hal/machine_text.cpp \
  tests/unit/hal/models.cpp \
  tests/unit/hal/numa.cpp \
  tests/unit/hal/pci_address.cpp \
  tests/unit/hal/places.cpp \
  tests/unit/hal/presence.cpp \
  tests/unit/hal/rdma.cpp
if UNITY
nodist_tests_unit_hal_unit_hal_SOURCES = tests/unit/hal/unity.cpp
else
tests_unit_hal_unit_hal_SOURCES = $(unit_hal_sources)
endif
tests/unit/hal/unity.cpp: Makefile
	$(call unite,$(unit_hal_sources))
tests_unit_hal_unit_hal_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_hal_unit_hal_LDADD = libhal.la libhaldata.la libbase.la $(CHECK_LIBS)
EXTRA_tests_unit_hal_unit_hal_DEPENDENCIES = tests/doubles/nvml/libnvidia-ml-double.la

tests_unit_hal_print_machine_SOURCES = tests/unit/hal/print_machine.cpp
tests_unit_hal_print_machine_LDADD = libhal.la libhaldata.la libbase.la

dist_check_SCRIPTS += tests/unit/hal/machine_schema.py
dist_noinst_DATA += hal/machine.schema.json
TESTS += tests/unit/hal/machine_schema.py
