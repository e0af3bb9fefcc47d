#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/failure/job_view.hpp"
#include "daemon/mscaled/slurm_jobs.hpp"

/// What brings a job back that has lost a node.  Pure.
namespace mscale::daemon {

/// What a node does about the deaths that its job has seen.
struct ReturnPlan {
    bool acts = false;    ///< this node is the one that acts: the first of the job that lives
    bool requeue = false; ///< nobody is left to launch the next step: the batch host is dead, or no `mscale run` is there
    bool operator==(const ReturnPlan&) const = default;
};

/// `attached`: a `mscale run` of the job has polled this node.  Nobody acts before every dead node is DOWN for slurmctld: it
/// would be given to the job again.
ReturnPlan plan_return(const JobView& view, const std::string& self, bool attached);

/// The next thing to be done about a job that comes back.
enum class ReturnStep {
    requeue, ///< it still runs without its node
    hurry,   ///< it waits, by Slurm until the lifetime of its old credential is over
    look,    ///< slurmctld isn't there yet, or it may begin, unless its time is set anew
    end      ///< it runs again, or won't
};

/// `restarts` is the run that lost the node; `asked` whether its requeue was asked for.  `now` is in seconds since 1970.
ReturnStep next_step(const JobFacts& facts, std::uint32_t restarts, const ReturnPlan& plan, bool asked,
                     std::int64_t now);

} // namespace mscale::daemon
