# Floor 2 without the verdict: the language, the site, the records.
check_PROGRAMS += tests/unit/contract/unit_contract
TESTS += tests/unit/contract/unit_contract
unit_contract_sources = tests/unit/check.hpp tests/unit/contract/suites.hpp \
  tests/unit/contract/main.cpp \
  tests/unit/contract/bounds.cpp \
  tests/unit/contract/canonical.cpp \
  tests/unit/contract/clauses.cpp \
  tests/unit/contract/contract_ini.cpp \
  tests/unit/contract/ledger.cpp \
  tests/unit/contract/options.cpp \
  tests/unit/contract/parse.cpp \
  tests/unit/contract/shipped.cpp \
  tests/unit/contract/site.cpp \
  tests/unit/contract/state.cpp \
  tests/unit/contract/texts.cpp tests/unit/contract/texts.hpp \
  tests/unit/contract/values.cpp \
  tests/unit/contract/verified.cpp
if UNITY
nodist_tests_unit_contract_unit_contract_SOURCES = tests/unit/contract/unity.cpp
else
tests_unit_contract_unit_contract_SOURCES = $(unit_contract_sources)
endif
tests/unit/contract/unity.cpp: Makefile
	$(call unite,$(unit_contract_sources))
tests_unit_contract_unit_contract_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_unit_contract_unit_contract_LDADD = libcontract.la libhaldata.la libbase.la $(CHECK_LIBS)
# bounds.cpp counts what is trimmed.
tests_unit_contract_unit_contract_LDFLAGS = -Wl,--wrap=_ZN6mscale4trimESt17basic_string_viewIcSt11char_traitsIcEE
