#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/ini.hpp"

namespace mscale {

/// A line `key = value` that the gate let through.
struct KeyLine {
    std::string section;
    Place key_place, value_place; ///< the value's width isn't known yet: it ends where libinih says
};

/// A text that libinih reads as it stands: damaged lines are blank in it and named in `faults`.
struct Gated {
    std::string text;
    std::vector<KeyLine> keys; ///< in the order of the text
    Faults faults;
};

/// Finds every damage of an INI text that libinih would pass in silence (see parse_ini).
Gated gate_ini(std::string_view text, std::string_view source, std::size_t limit);

} // namespace mscale
