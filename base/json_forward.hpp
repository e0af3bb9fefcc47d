#pragma once

#include <nlohmann/json_fwd.hpp>

namespace mscale {

/// JSON with members in the order they were written, so that output is stable.  For headers that only name it; using it
/// takes base/json.hpp.
using Json = nlohmann::ordered_json;

} // namespace mscale
