#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace mscale::contract {

/// Where a contract stands (DESIGN §1).
enum class State { refused, observed, accepted, granted, honoured, breached, recovering, released };

std::string_view to_string(State state);
std::optional<State> parse_state(std::string_view word);

/// mscale's own segment of AdminComment: "mscale: state=granted nodes=1 slices=4 unenforced=gpu.sm restarts=0".
struct Comment {
    State state = State::accepted;
    std::vector<std::pair<std::string, std::string>> fields; ///< key, value; values hold no blank and no ';'
    bool operator==(const Comment&) const = default;
};

std::string to_string(const Comment& comment);
/// The segment in an AdminComment that others write too, or nothing.
std::optional<Comment> find_comment(std::string_view admin_comment);
/// The AdminComment with our segment replaced (or added after "; ") and every other byte kept.
std::string replace_comment(std::string_view admin_comment, const Comment& comment);

} // namespace mscale::contract
