#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "contract/site.hpp"
#include "daemon/mscaled/cluster.hpp"
#include "daemon/mscaled/contract_state.hpp"
#include "daemon/mscaled/peers.hpp"
#include "daemon/mscaled/posts.hpp"

namespace mscale::daemon {

/// Brings each report to the one daemon that writes the job's state, and is that daemon for the jobs whose
/// first live node this is.
class StateWriter {
public:
    /// How to post `released` when a job has ended (post_released).
    struct Recorder {
        std::string program, config;
    };

    /// Whether a `mscale run` of this node takes care of a job.
    using IsAttended = std::function<bool(std::uint32_t job_id)>;

    StateWriter(Loop& loop, const contract::Site& site, Cluster& cluster, Peers& peers, Worker& slurm,
                Recorder recorder, IsAttended is_attended);

    /// Takes a report of this node or of another one: sends it to the first node of the allocation that
    /// answers, or, when that is this one, judges the contract anew.
    void report(Report report);
    /// The job has left this node; where this daemon wrote its state, it posts the end.
    void end(std::uint32_t job_id);

    /// The state of a job that this daemon writes, or null.
    const ContractState* find(std::uint32_t job_id) const;
    Judgement judge(const ContractState& state) const;
    std::vector<std::uint32_t> jobs() const;
    /// What the nodes of a job have lost, by node; nothing where this daemon doesn't write its state.
    std::vector<std::pair<std::string, LostPart>> list_lost(std::uint32_t job_id) const;

private:
    void deliver(Report report, std::vector<std::string> dead);
    void ask_nodes(Report report);
    void accept(const Report& report);
    void evaluate(ContractState& state);
    void on_posted(std::uint32_t job_id, const Judgement& tried, const Posted& posted);
    void learn_nodes(std::uint32_t job_id);
    void ask_missing();
    void ask(std::uint32_t job_id, const std::string& node);
    /// What has come of the attempts to post a job's end.
    struct Attempts {
        unsigned failed = 0, completing = 0; ///< slurmctld couldn't be asked; the job was found completing still
    };
    void post_end(std::uint32_t job_id, const Judgement& last, Attempts attempts);

    Loop& loop_;
    const contract::Site& site_;
    Cluster& cluster_;
    Peers& peers_;
    Worker& slurm_;
    Recorder recorder_;
    IsAttended is_attended_;
    Posts posts_;
    std::map<std::uint32_t, ContractState> states_;
};

} // namespace mscale::daemon
