# Floor 1: what a machine is.  libhaldata is plain data with its JSON: all that plugins need to judge.
noinst_LTLIBRARIES += libhaldata.la
libhaldata_sources = \
  hal/device_json.cpp hal/device_json.hpp \
  hal/disk_name.cpp hal/disk_name.hpp \
  hal/inventory.cpp hal/inventory.hpp \
  hal/json_reader.cpp hal/json_reader.hpp \
  hal/machine.hpp \
  hal/machine_json.cpp hal/machine_json.hpp \
  hal/machine_sense.cpp hal/machine_sense.hpp \
  hal/nearness.cpp hal/nearness.hpp \
  hal/pci_address.cpp hal/pci_address.hpp
if UNITY
nodist_libhaldata_la_SOURCES = hal/data_unity.cpp
else
libhaldata_la_SOURCES = $(libhaldata_sources)
endif
hal/data_unity.cpp: Makefile
	$(call unite,$(libhaldata_sources))

# The readers.  hwloc is seen here only, and NVML's binary interface (loaded at run time, never linked).
noinst_LTLIBRARIES += libhal.la
libhal_sources = \
  hal/cores.cpp hal/cores.hpp \
  hal/device_text.cpp hal/device_text.hpp \
  hal/disks.cpp hal/disks.hpp \
  hal/gpu_events.cpp hal/gpu_events.hpp \
  hal/gpu_models.cpp hal/gpu_models.hpp \
  hal/gpus.cpp hal/gpus.hpp \
  hal/huge_pages.cpp hal/huge_pages.hpp \
  hal/hwloc_environment.cpp hal/hwloc_reader.hpp \
  hal/kernel.cpp hal/kernel.hpp \
  hal/locality.cpp hal/locality.hpp \
  hal/machine_file.cpp \
  hal/machine_text.cpp hal/machine_text.hpp \
  hal/numa.cpp hal/numa.hpp \
  hal/nvml.cpp hal/nvml.hpp hal/nvml_abi.hpp hal/nvml_library.hpp \
  hal/presence.cpp hal/presence.hpp \
  hal/probe.cpp hal/probe.hpp \
  hal/rdma.cpp hal/rdma.hpp \
  hal/sysfs.cpp hal/sysfs.hpp \
  hal/text_box.cpp hal/text_box.hpp
if HAVE_HWLOC
libhal_sources += hal/hwloc_cpus.cpp hal/hwloc_devices.cpp hal/hwloc_order.cpp hal/hwloc_xml.cpp
else
libhal_sources += hal/without_hwloc.cpp
endif
if UNITY
nodist_libhal_la_SOURCES = hal/unity.cpp
else
libhal_la_SOURCES = $(libhal_sources)
endif
hal/unity.cpp: Makefile
	$(call unite,$(libhal_sources))
libhal_la_CPPFLAGS = $(AM_CPPFLAGS) $(HWLOC_CFLAGS)
libhal_la_LIBADD = $(HWLOC_LIBS)
