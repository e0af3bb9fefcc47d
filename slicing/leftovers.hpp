#pragma once

#include <vector>

#include "contract/ledger.hpp"
#include "slicing/process_table.hpp"

namespace mscale::slicing {

/// Processes of `uid` that the job's recorded tasks still are or have left: the task itself by pid and start
/// time, its process group and session (which keep its number from being given anew), and all descendants.
std::vector<ProcessId> find_leftovers(const std::vector<ProcessEntry>& processes,
                                      const std::vector<contract::TaskRecord>& tasks, uid_t uid);

/// Kills exactly this process, though its number may be given anew at any moment: what a descriptor holds is
/// compared before it is killed.  False when it isn't there any more.
bool kill_process(const ProcessId& process);

/// Kills them until none is left or two seconds are over; release_incomplete then names those that live.
Result<void> kill_leftovers(const std::vector<contract::TaskRecord>& tasks, uid_t uid);

} // namespace mscale::slicing
