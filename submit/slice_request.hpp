#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace mscale::submit {

/// How many units of the GRES `name` a TRES request asks ("gres:gpu:1,gres/sm:h100:4", "sm"), or nothing when
/// it names none.
std::optional<std::uint64_t> find_gres(std::string_view tres, std::string_view name);

/// `tres_per_node` with `count` units of `name` added; what the user asked beside it is kept.  Code::conflict
/// when the user asked another number of them, per node or otherwise (`other_tres`).
Result<std::string> add_slices(const std::string& tres_per_node, const std::string& other_tres,
                               const std::string& name, std::uint64_t count, const std::string& prefix);

} // namespace mscale::submit
