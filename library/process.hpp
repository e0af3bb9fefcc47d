#pragma once

#include <memory>
#include <optional>

#include "library/client.hpp"
#include "mscale/mscale.h"

namespace mscale::library {

/// The process' one client.  Never destroyed: what is left at the end of the program is the kernel's to take back.
struct Process {
    enum class Stage { before, joined, outside, left } stage = Stage::before;
    Rank rank;
    std::unique_ptr<Client> client;
};
Process& this_process();

/// Joins the keeper, or finds that there is none to join.
Result<void> join_keeper(Process& process, const mscale_options& options);
/// Leaves it, where there is one.
void leave_keeper(Process& process);

} // namespace mscale::library
