#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace mscale::daemon {

/// Cuts the first whole message out of what has arrived, or nothing when it isn't whole yet; an error when it
/// can never be one of at most `limit` bytes.
using Cut = Result<std::optional<std::string>> (*)(std::string& arrived, std::size_t limit);

/// Messages between nodes: four bytes of length, most significant first, then as many bytes.
Result<std::optional<std::string>> cut_frame(std::string& arrived, std::size_t limit);
std::string to_frame(std::string_view message);

/// Messages of the local socket: a line.
Result<std::optional<std::string>> cut_line(std::string& arrived, std::size_t limit);

} // namespace mscale::daemon
