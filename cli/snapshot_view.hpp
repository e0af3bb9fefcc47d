#pragma once

#include <cstdint>
#include <string>

#include "base/json_forward.hpp"

/// What mscaled says of snapshots, as text.
namespace mscale::cli {

/// One line for each snapshot that the nodes hold; `node_column` where they are several.
std::string snapshot_table(const Json& nodes, bool node_column);
/// At whose expense the snapshots of a job are on a node: "156 MiB, charged to the job: ...".
std::string memory_text(const Json& memory);
/// The committed snapshot that the job would go on from, as most nodes' newest record says.
std::string commit_text(const Json& nodes);
/// One line for each slot that was read.
std::string check_table(const Json& checks);
/// "17 s", "5 min", "3 h", "2 d".
std::string age_text(std::int64_t seconds);

} // namespace mscale::cli
