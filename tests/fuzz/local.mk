# Fuzzing.  `make check` replays the kept corpus with the compiler at hand; `make fuzz` builds the libFuzzer programs with
# clang, and scripts/check and scripts/soak run them.
fuzz_replays = tests/fuzz/replay_beat tests/fuzz/replay_contract tests/fuzz/replay_cursor tests/fuzz/replay_frame tests/fuzz/replay_ini tests/fuzz/replay_manifest tests/fuzz/replay_piece tests/fuzz/replay_slot tests/fuzz/replay_spill
check_PROGRAMS += $(fuzz_replays)
# What is pure of the daemon and stands in no library that needs no Slurm.
fuzz_messages = daemon/coding/messages.cpp daemon/keeper/messages.cpp daemon/keeper/piece_packet.cpp
TESTS += $(fuzz_replays)
tests_fuzz_replay_beat_SOURCES = tests/fuzz/replay.cpp tests/fuzz/fuzz_beat.cpp tests/fuzz/property.hpp daemon/failure/beat.cpp
tests_fuzz_replay_beat_CPPFLAGS = $(AM_CPPFLAGS) -DMSCALE_CORPUS='"beat"'
tests_fuzz_replay_beat_LDADD = librecovery.la libbase.la
tests_fuzz_replay_contract_SOURCES = tests/fuzz/replay.cpp tests/fuzz/fuzz_contract.cpp tests/fuzz/property.hpp
tests_fuzz_replay_contract_CPPFLAGS = $(AM_CPPFLAGS) -DMSCALE_CORPUS='"contract"'
tests_fuzz_replay_contract_LDADD = libcontract.la libhaldata.la libbase.la
tests_fuzz_replay_ini_SOURCES = tests/fuzz/replay.cpp tests/fuzz/fuzz_ini.cpp tests/fuzz/property.hpp
tests_fuzz_replay_ini_CPPFLAGS = $(AM_CPPFLAGS) -DMSCALE_CORPUS='"ini"'
tests_fuzz_replay_ini_LDADD = libcontract.la libhaldata.la libbase.la
tests_fuzz_replay_cursor_SOURCES = tests/fuzz/replay.cpp tests/fuzz/fuzz_cursor.cpp tests/fuzz/property.hpp
tests_fuzz_replay_cursor_CPPFLAGS = $(AM_CPPFLAGS) -DMSCALE_CORPUS='"cursor"'
tests_fuzz_replay_cursor_LDADD = librecovery.la libbase.la
tests_fuzz_replay_frame_SOURCES = tests/fuzz/replay.cpp tests/fuzz/fuzz_frame.cpp tests/fuzz/property.hpp tests/fuzz/checked.hpp
tests_fuzz_replay_frame_CPPFLAGS = $(AM_CPPFLAGS) -DMSCALE_CORPUS='"frame"'
tests_fuzz_replay_frame_LDADD = librecovery.la libbase.la
tests_fuzz_replay_manifest_SOURCES = tests/fuzz/replay.cpp tests/fuzz/fuzz_manifest.cpp tests/fuzz/property.hpp tests/fuzz/checked.hpp
tests_fuzz_replay_manifest_CPPFLAGS = $(AM_CPPFLAGS) -DMSCALE_CORPUS='"manifest"'
tests_fuzz_replay_manifest_LDADD = librecovery.la libbase.la
tests_fuzz_replay_piece_SOURCES = tests/fuzz/replay.cpp tests/fuzz/fuzz_piece.cpp tests/fuzz/property.hpp tests/fuzz/checked.hpp \
  $(fuzz_messages)
tests_fuzz_replay_piece_CPPFLAGS = $(AM_CPPFLAGS) -DMSCALE_CORPUS='"piece"'
tests_fuzz_replay_piece_LDADD = librecovery.la libhaldata.la libbase.la
tests_fuzz_replay_slot_SOURCES = tests/fuzz/replay.cpp tests/fuzz/fuzz_slot.cpp tests/fuzz/property.hpp tests/fuzz/checked.hpp
tests_fuzz_replay_slot_CPPFLAGS = $(AM_CPPFLAGS) -DMSCALE_CORPUS='"slot"'
tests_fuzz_replay_slot_LDADD = librecovery.la libbase.la
tests_fuzz_replay_spill_SOURCES = tests/fuzz/replay.cpp tests/fuzz/fuzz_spill.cpp tests/fuzz/property.hpp
tests_fuzz_replay_spill_CPPFLAGS = $(AM_CPPFLAGS) -DMSCALE_CORPUS='"spill"'
tests_fuzz_replay_spill_LDADD = librecovery.la libbase.la
EXTRA_DIST += tests/fuzz/corpus

# clang before 16 can't read <ranges> of libstdc++ 12.
FUZZ_CXX = $(firstword $(foreach version,19 18 17 16,$(shell command -v clang++-$(version))) clang++)
FUZZ_CXXFLAGS = -std=c++20 -g -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
# What reads a text; the verdict isn't fuzzed and would take most of the time.
fuzz_sources = $(filter-out base/process.cpp base/run_process.cpp,$(libbase_sources)) hal/disk_name.cpp hal/json_reader.cpp hal/pci_address.cpp \
  $(filter contract/canonical% contract/clause% contract/conflicts% contract/contract_file% contract/given% contract/lexer% \
    contract/mode% contract/options% contract/parse% contract/profiles% contract/site% contract/source_text% contract/value%, \
    $(libcontract_sources)) \
  $(filter recovery/check_manifest% recovery/checksum% recovery/coded_part% recovery/coding% recovery/piece_request% recovery/redundancy% recovery/cursor% recovery/frame% recovery/manifest% recovery/segment% recovery/session_key% \
    recovery/slot% recovery/spill_file% recovery/commit%, $(librecovery_sources)) \
  daemon/failure/beat.cpp $(fuzz_messages)
if UNITY
fuzz_objects = tests/fuzz/objects/tests/fuzz/unity.o
tests/fuzz/unity.cpp: Makefile
	$(call unite,$(fuzz_sources))
else
fuzz_objects = $(patsubst %.cpp,tests/fuzz/objects/%.o,$(filter %.cpp,$(fuzz_sources)))
endif

.PHONY: fuzz
fuzz: $(fuzz_replays:tests/fuzz/replay_%=tests/fuzz/fuzz_%)

tests/fuzz/objects/%.o: %.cpp
	$(AM_V_CXX)$(MKDIR_P) $(@D) && $(FUZZ_CXX) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(INIH_CFLAGS) $(ISAL_CFLAGS) $(SODIUM_CFLAGS) $(CPPFLAGS) \
	  $(FUZZ_CXXFLAGS) -MMD -c -o $@ $<
tests/fuzz/fuzz_%: tests/fuzz/objects/tests/fuzz/fuzz_%.o $(fuzz_objects)
	$(AM_V_CXXLD)$(FUZZ_CXX) -fsanitize=fuzzer,address,undefined -o $@ $^ $(INIH_LIBS) $(ISAL_LIBS) $(SODIUM_LIBS)
.SECONDARY:
clean-local: clean-fuzz
.PHONY: clean-fuzz
clean-fuzz:
	rm -rf tests/fuzz/objects $(fuzz_replays:tests/fuzz/replay_%=tests/fuzz/fuzz_%)
