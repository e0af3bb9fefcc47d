#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace mscale {

/// What a caller does about an error; each kind is one exit status of `mscale` (DESIGN §3).
enum class Kind : std::uint8_t {
    invalid, ///< the text has faults: exit 2
    refused, ///< the text is right, the machine or the site says no: exit 1
    denied,  ///< not permitted: exit 4
    busy,    ///< the same request may succeed later: exit 75
    system,  ///< the system failed us: exit 3
};

/// Every failure has a stable code.  A number is never reused; texts may improve.
/// P parse, V verdict, S slicing (acts on a node), R recovery, H hardware health, N node and network, C configuration.
enum class Code : std::uint16_t {
#define MSCALE_CODE(name, id, kind, cause, check, cure) name,
#include "base/codes.def"
#undef MSCALE_CODE
};

/// One row of the table behind `mscale explain CODE`, the manual and the tests.
struct CodeEntry {
    Code code;
    std::string_view id;    ///< "MSC-V012"
    Kind kind;
    std::string_view cause; ///< what is true when this code appears
    std::string_view check; ///< a command that shows it
    std::string_view cure;  ///< what to do
};

/// All codes, in the order of their ids.
std::span<const CodeEntry> code_table();

/// The row of `code`; every code has one.
const CodeEntry& entry_of(Code code);

/// The row with this id in either case ("msc-v012"), or nothing.
std::optional<CodeEntry> find_code(std::string_view id);

/// The exit status of `mscale` for this kind (DESIGN §3).
int exit_status(Kind kind);

} // namespace mscale
