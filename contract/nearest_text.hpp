#pragma once

#include <string>
#include <string_view>

#include "contract/contract.hpp"

namespace mscale::contract {

/// The text as one word of a shell: in single quotes where it holds a blank, brackets, an asterisk or another
/// character that shells read.
std::string quote_word(std::string_view text);

/// "nearest changes role.x.cores 4 -> 1, adds contract.strict=no, drops rdma.port"; "" when nothing differs.
std::string describe_changes(const Contract& asked, const Contract& nearest);

} // namespace mscale::contract
