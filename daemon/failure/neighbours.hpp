#pragma once

#include <string>
#include <vector>

/// Who listens to whom in a job.  Every node computes it by itself from the node list, which is the same everywhere.  Pure.
namespace mscale::daemon {

/// To whom `node` beats, in the order of `nodes`: to all others where there are at most 9 nodes; else to 4 on each side (the
/// list is a ring) and to the first one.  Empty when it isn't one of the nodes.
std::vector<std::string> list_listeners(const std::vector<std::string>& nodes, const std::string& node);

/// The nodes that beat to `self`, in the order of `nodes`.
std::vector<std::string> list_watched(const std::vector<std::string>& nodes, const std::string& self);

} // namespace mscale::daemon
