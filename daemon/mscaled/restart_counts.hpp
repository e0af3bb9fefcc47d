#pragma once

#include <functional>
#include <map>

#include "daemon/mscaled/jobs.hpp"
#include "daemon/mscaled/slurm_jobs.hpp"
#include "daemon/mscaled/worker.hpp"

namespace mscale::daemon {

/// Learns from slurmctld which run of each job with [ft] this node's ledger is of.  The ledger can't tell: slurmd's prolog
/// isn't told.  One question for each run, asked again until slurmctld has answered.  Lives on the loop.
class RestartCounts {
public:
    using Load = std::function<Result<JobFacts>(std::uint32_t job_id)>;

    /// `slurm` is a thread that may wait for slurmctld.
    RestartCounts(Loop& loop, Jobs& jobs, Worker& slurm, Load load = load_job)
        : loop_(loop), jobs_(jobs), slurm_(slurm), load_(std::move(load))
    {
    }

    /// The jobs of this node have changed.
    void follow();

private:
    void ask(std::uint32_t job_id, const contract::Run& run, unsigned failures);
    void take(std::uint32_t job_id, const contract::Run& run, unsigned failures,
              const Result<JobFacts>& facts);
    bool is_wanted(std::uint32_t job_id, const contract::Run& run) const;

    Loop& loop_;
    Jobs& jobs_;
    Worker& slurm_;
    Load load_;
    std::map<std::uint32_t, contract::Run> asked_; // by job: the run that was asked about last
};

} // namespace mscale::daemon
