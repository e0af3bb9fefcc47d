#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/json.hpp"
#include "daemon/mscaled/attached_runs.hpp"
#include "daemon/mscaled/local_socket.hpp"
#include "daemon/mscaled/seats.hpp"
#include "daemon/mscaled/slurm_jobs.hpp"
#include "daemon/mscaled/worker.hpp"

namespace mscale::daemon {

/// Asks a node of the job what `mscale run` wants to know, where it runs on none of them, as in salloc.  Lives on the loop.
class RunRelay {
public:
    using Answer = LocalSocket::Answer;
    /// Asks the daemon of a node; Peers.
    using Call = std::function<void(const std::string& node, const Json& body, std::function<void(Result<Json>)> answered)>;
    /// What slurmctld knows of a job, on a thread of its own.
    using Load = std::function<Result<JobFacts>(std::uint32_t job_id)>;

    RunRelay(Worker& questions, Load load, Call call);

    /// The first answer of its nodes in Slurm's order.  slurmctld is asked for them once: they are known until none of them
    /// answers.  not_yours of another user's job; no_such_job where none of them holds a contract of it.
    void ask(const Asker& asker, std::uint32_t job_id, Json request, Answer answer);

private:
    struct Job {
        uid_t uid = 0;
        std::vector<std::string> nodes;
        std::chrono::steady_clock::time_point asked;
    };

    struct Question {
        std::uint32_t job_id = 0;
        pid_t asker = 0;
        Json body;
        Answer answer;
    };

    void ask_slurm(const Asker& asker, std::uint32_t job_id, Json request, Answer answer);
    Json take(std::uint32_t job_id, pid_t asker, const Json& theirs);
    void ask_node(const Question& question, std::size_t at);
    void forget_old();

    Worker& questions_;
    Load load_;
    Call call_;
    Hall open_;
    AttachedRuns attached_; // of this node
    std::map<std::uint32_t, Job> jobs_;
};

} // namespace mscale::daemon
