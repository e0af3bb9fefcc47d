#pragma once

#include "base/json_forward.hpp"
#include "hal/machine.hpp"

namespace mscale::hal {

/// The version of the JSON form, its top member "mscale_machine".
inline constexpr int machine_json_version = 1;

/// The machine as JSON; `from_json` gives back an equal one.
Json to_json(const Machine& machine);

/// Reads what `to_json` wrote, checking every member and that they fit together; an error tells every fault of the one kind, or
/// else of the other, with its JSON pointer.  `what` names the text in errors.  `this_system` is always false.
Result<Machine> machine_from_json(const Json& json, const std::string& what);

} // namespace mscale::hal
