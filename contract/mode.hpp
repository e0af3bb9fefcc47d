#pragma once

#include <optional>
#include <string_view>

#include "contract/site.hpp"

namespace mscale::contract {

/// "off", "observe", "enforce".
std::string_view to_string(Mode mode);
std::optional<Mode> parse_mode(std::string_view word);

} // namespace mscale::contract
