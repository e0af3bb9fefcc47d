#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace mscale::daemon {

/// Runs a program of ours with the environment that libslurm needs and waits for its end.  `code` when its
/// status isn't 0, with what it said.  Waits: only for a Worker.
Result<void> run_child(Code code, const std::vector<std::string>& arguments, const std::string& input,
                       std::chrono::milliseconds deadline);

} // namespace mscale::daemon
