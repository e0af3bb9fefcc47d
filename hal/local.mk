# Floor 1: what a machine is.  libhaldata is plain data with its JSON: all that plugins and daemons need to judge.
noinst_LTLIBRARIES += libhaldata.la
libhaldata_la_SOURCES = \
  hal/device_json.cpp hal/device_json.hpp \
  hal/inventory.cpp hal/inventory.hpp \
  hal/json_reader.cpp hal/json_reader.hpp \
  hal/machine.hpp \
  hal/machine_json.cpp hal/machine_json.hpp \
  hal/pci_address.cpp hal/pci_address.hpp
libhaldata_la_LIBADD = libbase.la
