#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "contract/site.hpp"
#include "daemon/mscaled/cluster.hpp"
#include "daemon/mscaled/jobs.hpp"
#include "daemon/mscaled/state_writer.hpp"
#include "daemon/mscaled/survey.hpp"

namespace mscale::daemon {

/// How mscale-node is called to release one run of a job and no later one.
std::vector<std::string> release_command(const std::string& program, const std::string& config,
                                         const DeadJob& job);

/// At start and every Site.reconcile_interval: what a finished job left is released, with or without a
/// ledger, a job whose slurmstepd is gone is ended, a job that was accepted but not prepared is noticed.  A
/// job without a ledger and without a contract is never touched, and nothing is done on doubt: when slurmctld
/// doesn't answer, the ledgers stay.
class Reconcile {
public:
    /// Called when a step of a job has been without its slurmstepd at two surveys in a row.
    using Lost = std::function<void(const LostStep&)>;
    /// Called for a job that was accepted and runs here unprepared.
    using Unprepared = std::function<void(const JobFacts&)>;

    Reconcile(Loop& loop, const contract::Site& site, std::string config, Jobs& jobs, Cluster& cluster,
              StateWriter& states, Worker& slurm, Worker& node, Lost lost, Unprepared unprepared);

    void run();

private:
    void conclude(const Survey& survey);
    void release(const DeadJob& job);
    void sweep();
    bool has_strays() const;
    std::vector<KnownJob> known() const;
    std::vector<std::uint32_t> strangers() const;

    Loop& loop_;
    const contract::Site& site_;
    std::string config_;
    Jobs& jobs_;
    Cluster& cluster_;
    StateWriter& states_;
    Worker& slurm_;
    Worker& node_;
    Lost lost_;
    Unprepared unprepared_;
    std::set<LostStep> suspected_;
    std::set<std::uint32_t> releasing_; // in the hands of mscale-node
    bool running_ = false;
    bool sweeping_ = false, swept_ = false;
};

} // namespace mscale::daemon
