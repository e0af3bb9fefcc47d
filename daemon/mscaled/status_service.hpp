#pragma once

#include <functional>
#include <optional>
#include <string>

#include "contract/site.hpp"
#include "daemon/mscaled/cluster.hpp"
#include "daemon/mscaled/jobs.hpp"
#include "daemon/mscaled/peers.hpp"
#include "daemon/mscaled/state_writer.hpp"

namespace mscale::daemon {

/// Answers `status` for the owner of a job and for root: this node's part at once, or the whole job by asking
/// the daemons of its other nodes.  Each user may have a few such questions open; one more is `overloaded`.
class StatusService {
public:
    using Answer = std::function<void(Json)>;

    /// `questions` is a thread of its own: what users ask slurmctld must not stand before what the daemon tells it.
    /// `snapshots` says what the snapshots of a job take of this node's memory, or null.
    StatusService(const contract::Site& site, Jobs& jobs, StateWriter& states, Cluster& cluster, Peers& peers,
                  Worker& questions, std::function<Json(std::uint32_t job_id)> snapshots);

    /// The jobs of this node that `uid` may see.
    Json list(uid_t uid) const;
    /// This node's part of a job; null JSON when it holds none.  What other daemons ask for.
    Json part(std::uint32_t job_id) const;
    /// The same as an answer: not_yours or no_such_job where it is so.
    Json answer_part(std::uint32_t job_id, uid_t uid) const;
    /// The whole job, wherever it runs.
    void answer(std::uint32_t job_id, uid_t uid, Answer answer);

private:
    void gather(std::uint32_t job_id, uid_t uid, const std::vector<std::string>& nodes, Answer answer);
    void ask_slurm(std::uint32_t job_id, uid_t uid, Answer answer);

    const contract::Site& site_;
    Jobs& jobs_;
    StateWriter& states_;
    Cluster& cluster_;
    Peers& peers_;
    Worker& questions_;
    std::function<Json(std::uint32_t job_id)> snapshots_;
    Hall open_;
};

} // namespace mscale::daemon
