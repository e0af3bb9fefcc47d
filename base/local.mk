# Floor 0: results, files, text, INI, JSON, log.  libinih is seen here only.
noinst_LTLIBRARIES += libbase.la
libbase_sources = \
  base/code.cpp base/code.hpp base/codes.def \
  base/cpu_list.cpp \
  base/cpu_set.cpp base/cpu_set.hpp \
  base/error.cpp base/error.hpp \
  base/files.cpp base/files.hpp base/write_files.cpp \
  base/fill_memory.cpp base/fill_memory.hpp \
  base/format.cpp \
  base/handle.hpp \
  base/ini.cpp base/ini.hpp base/ini_gate.cpp base/ini_gate.hpp \
  base/json.cpp base/json.hpp base/json_forward.hpp \
  base/log.cpp base/log.hpp \
  base/netlink.cpp base/netlink.hpp \
  base/process.cpp base/process.hpp base/run_process.cpp base/slurm_conf.cpp base/slurm_conf.hpp \
  base/reserved_port.cpp base/reserved_port.hpp \
  base/text.cpp base/text.hpp
if UNITY
nodist_libbase_la_SOURCES = base/unity.cpp
else
libbase_la_SOURCES = $(libbase_sources)
endif
base/unity.cpp: Makefile
	$(call unite,$(libbase_sources))
libbase_la_CPPFLAGS = $(AM_CPPFLAGS) $(INIH_CFLAGS)
libbase_la_LIBADD = $(INIH_LIBS)
