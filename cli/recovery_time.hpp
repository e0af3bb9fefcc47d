#pragma once

#include <chrono>
#include <string>

#include "contract/site.hpp"

namespace mscale::cli {

/// How long a job stands still when a node of it dies, to its next step; without the program's own start and the time that its
/// state takes to come back.
struct RecoveryTime {
    std::chrono::milliseconds down{0};       ///< the node is DOWN for slurmctld
    std::chrono::milliseconds step{0};       ///< the next step of `mscale run`, on a spare of the allocation
    std::chrono::milliseconds requeue{0};    ///< the next run of a requeued job
    std::chrono::milliseconds batch_host{0}; ///< the same where it was the batch host that died
};

/// What slurmctld adds by its own settings.
struct SlurmPauses {
    std::chrono::seconds slurmd_timeout{300}; ///< counts where mscaled sets no node DOWN
    std::chrono::seconds sched_delay{3};      ///< batch_sched_delay of SchedulerParameters
};

/// What is expected under the site's settings, for jobs with the default ft.detect, by what was measured on Slurm 22.05.  Pure.
RecoveryTime expect_recovery(const contract::Site& site, const SlurmPauses& pauses);

/// In one line, with the settings that it comes from.
std::string describe_recovery(const contract::Site& site, const SlurmPauses& pauses);

} // namespace mscale::cli
