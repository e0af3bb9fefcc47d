# Floor 2: the language, the verdict and the plan.  Pure: judges what hal read, reads no machine itself.
noinst_LTLIBRARIES += libcontract.la
libcontract_la_SOURCES = \
  contract/ledger.hpp contract/ledger_files.cpp contract/ledger_json.cpp \
  contract/mode.cpp contract/mode.hpp \
  contract/site.cpp contract/site.hpp contract/site_keys.cpp contract/site_keys.hpp \
  contract/state.cpp contract/state.hpp \
  contract/verified.cpp contract/verified.hpp
libcontract_la_LIBADD = libhaldata.la libbase.la
# The verdict: from a contract and a machine to a plan or refusals.
libcontract_la_SOURCES += \
  contract/allocation.hpp \
  contract/plan.hpp contract/plan_json.cpp \
  contract/refusal.cpp \
  contract/refused_file.cpp contract/refused_file.hpp \
  contract/verdict.hpp
