#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace mscale {

/// One `key = value` line.
struct IniEntry {
    std::string section, key, value;
    Place key_place, value_place;
};

/// A fault in a text, with its place.
struct Fault {
    Error error;
    Place place;
};
using Faults = std::vector<Fault>;

/// The whole file, or every damage found in it.
struct Ini {
    std::vector<IniEntry> entries; ///< in the order of the file
    Faults faults;                 ///< NUL byte, key twice, section twice, no section, line without '=', …
};

/// Reads an INI text of at most `limit` bytes through libinih behind a gate that finds first what libinih passes in
/// silence: NUL bytes, keys and sections given twice, over-long lines, a BOM (skipped), CR LF (the CR is dropped),
/// continuation lines (a fault).  Inline comments begin with " ;".  `source` names the text in places.
Ini parse_ini(std::string_view text, std::string_view source, std::size_t limit = 64 << 10);

/// Every fault as lines for a terminal: text, excerpt, carets, cure.
std::string to_text(const Faults& faults);

} // namespace mscale
