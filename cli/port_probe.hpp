#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace mscale::cli {

/// The hosts of which none listens on the TCP port, or doesn't say so within `deadline`; all are asked at once, and nothing
/// is sent.  Names that can't be resolved are among them.
std::vector<std::string> find_silent_hosts(const std::vector<std::string>& hosts, unsigned port,
                                           std::chrono::milliseconds deadline);

} // namespace mscale::cli
