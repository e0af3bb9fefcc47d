# Floor 2: the language, the verdict and the plan.  Pure: judges what hal read, reads no machine itself.
noinst_LTLIBRARIES += libcontract.la
libcontract_la_SOURCES =
libcontract_la_LIBADD = libhaldata.la libbase.la
# The verdict: from a contract and a machine to a plan or refusals.
libcontract_la_SOURCES += \
  contract/allocation.hpp \
  contract/plan.hpp contract/plan_json.cpp \
  contract/refusal.cpp \
  contract/refused_file.cpp contract/refused_file.hpp \
  contract/verdict.hpp
