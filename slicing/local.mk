# Floor 3: turns a plan into a lease.  The ledger is written before the machine is touched; one file for each resource.
noinst_LTLIBRARIES += libslicing.la
libslicing_sources = \
  slicing/dead_route.cpp slicing/dead_route.hpp \
  slicing/file_lock.cpp slicing/file_lock.hpp \
  slicing/held_jobs.cpp slicing/held_jobs.hpp \
  slicing/hugepages.cpp slicing/hugepages.hpp \
  slicing/hugetlbfs.cpp slicing/hugetlbfs.hpp \
  slicing/kernel_pool.cpp slicing/kernel_pool.hpp \
  slicing/lease.cpp slicing/lease.hpp \
  slicing/ledger.cpp slicing/ledger.hpp \
  slicing/leftovers.cpp slicing/leftovers.hpp \
  slicing/pool_record.cpp slicing/pool_record.hpp \
  slicing/process_table.cpp slicing/process_table.hpp \
  slicing/route_lease.cpp slicing/route_lease.hpp
if UNITY
nodist_libslicing_la_SOURCES = slicing/unity.cpp
else
libslicing_la_SOURCES = $(libslicing_sources)
endif
slicing/unity.cpp: Makefile
	$(call unite,$(libslicing_sources))
libslicing_la_LIBADD = libcontract.la libhaldata.la libbase.la
