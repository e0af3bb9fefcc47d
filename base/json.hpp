#pragma once

#include <concepts>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json_forward.hpp"

namespace mscale {

/// How deep arrays and objects may stand in each other.  Copying and writing a Json take a stack frame a level, so
/// that nothing deeper may come in; nothing of ours is deeper than a dozen.
inline constexpr unsigned json_depth_limit = 64;

/// Parses a text; `what` names it in the error ("inventory/a.json"), which holds printable bytes only.  Never throws.
Result<Json> parse_json(const std::string& text, const std::string& what);

/// One line of JSON.  Bytes that are no UTF-8 are replaced by U+FFFD.  Never throws for what a text holds.
std::string write_json(const Json& json);

/// True when the number is a whole one that T holds; the library itself would cut it.
template <std::integral T> bool holds(const Json& number)
{
    if (number.is_number_unsigned()) return std::in_range<T>(number.get<std::uint64_t>());
    return number.is_number_integer() && std::in_range<T>(number.get<std::int64_t>());
}

/// `value[key]` as T, or an error that names the key, what was expected and what stands there.  Never throws.
template <class T> Result<T> read_member(const Json& value, const char* key, const std::string& what)
{
    try {
        const Json& member = value.at(key);
        if constexpr (std::integral<T> && !std::same_as<T, bool>)
            if (!holds<T>(member))
                return failure(Code::json_member, what + ": member '" + key + "': " + write_json(member).substr(0, 40) +
                                                      " is no whole number in range");
        return member.get<T>();
    } catch (const Json::exception& e) {
        return failure(Code::json_member, what + ": member '" + key + "': " + e.what());
    }
}

} // namespace mscale
