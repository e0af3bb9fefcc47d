# Fuzzing.  `make check` replays the kept corpus with the compiler at hand; `make fuzz` builds the libFuzzer programs with
# clang, and scripts/check and scripts/soak run them.
check_PROGRAMS += tests/fuzz/replay_contract tests/fuzz/replay_ini
TESTS += tests/fuzz/replay_contract tests/fuzz/replay_ini
tests_fuzz_replay_contract_SOURCES = tests/fuzz/replay.cpp tests/fuzz/fuzz_contract.cpp tests/fuzz/property.hpp
tests_fuzz_replay_contract_CPPFLAGS = $(AM_CPPFLAGS) -DMSCALE_CORPUS='"contract"'
tests_fuzz_replay_contract_LDADD = libcontract.la libhaldata.la libbase.la
tests_fuzz_replay_ini_SOURCES = tests/fuzz/replay.cpp tests/fuzz/fuzz_ini.cpp tests/fuzz/property.hpp
tests_fuzz_replay_ini_CPPFLAGS = $(AM_CPPFLAGS) -DMSCALE_CORPUS='"ini"'
tests_fuzz_replay_ini_LDADD = libcontract.la libhaldata.la libbase.la
EXTRA_DIST += tests/fuzz/corpus

# clang before 16 can't read <ranges> of libstdc++ 12.
FUZZ_CXX = $(firstword $(foreach version,19 18 17 16,$(shell command -v clang++-$(version))) clang++)
FUZZ_CXXFLAGS = -std=c++20 -g -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
# What reads a text; the verdict isn't fuzzed and would take most of the time.
fuzz_sources = $(filter-out base/process.cpp base/run_process.cpp,$(libbase_la_SOURCES)) hal/disk_name.cpp hal/pci_address.cpp \
  $(filter contract/canonical% contract/clause% contract/conflicts% contract/contract_file% contract/given% contract/lexer% \
    contract/mode% contract/options% contract/parse% contract/profiles% contract/site% contract/source_text% contract/value%, \
    $(libcontract_la_SOURCES))
fuzz_objects = $(patsubst %.cpp,tests/fuzz/objects/%.o,$(filter %.cpp,$(fuzz_sources)))

.PHONY: fuzz
fuzz: tests/fuzz/fuzz_contract tests/fuzz/fuzz_ini

tests/fuzz/objects/%.o: %.cpp
	$(AM_V_CXX)$(MKDIR_P) $(@D) && $(FUZZ_CXX) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(INIH_CFLAGS) $(CPPFLAGS) \
	  $(FUZZ_CXXFLAGS) -MMD -c -o $@ $<
tests/fuzz/fuzz_%: tests/fuzz/objects/tests/fuzz/fuzz_%.o $(fuzz_objects)
	$(AM_V_CXXLD)$(FUZZ_CXX) -fsanitize=fuzzer,address,undefined -o $@ $^ $(INIH_LIBS)
.SECONDARY:
clean-local: clean-fuzz
.PHONY: clean-fuzz
clean-fuzz:
	rm -rf tests/fuzz/objects tests/fuzz/fuzz_contract tests/fuzz/fuzz_ini
