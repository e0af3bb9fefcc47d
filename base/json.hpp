#pragma once

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json_forward.hpp"

namespace mscale {

/// Parses a text; `what` names it in the error ("inventory/a.json").  Never throws.
Result<Json> parse_json(const std::string& text, const std::string& what);

/// `value[key]` as T, or an error that names the key, what was expected and what stands there.  Never throws.
template <class T> Result<T> read_member(const Json& value, const char* key, const std::string& what)
{
    try {
        return value.at(key).get<T>();
    } catch (const Json::exception& e) {
        return failure(Code::json_member, what + ": member '" + key + "': " + e.what());
    }
}

} // namespace mscale
