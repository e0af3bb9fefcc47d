#pragma once

#include <functional>
#include <map>
#include <string>

#include "daemon/mscaled/post.hpp"
#include "daemon/mscaled/worker.hpp"

namespace mscale::daemon {

/// The states that wait to be posted: the newest of each job, again after a failure (`retry_delay`), no job
/// more than once a second, so that a burst of changes costs slurmctld one RPC.
class Posts {
public:
    /// Called on the loop when a posting has ended otherwise than by an error.
    using Ended = std::function<void(std::uint32_t job_id, const Judgement& tried, const Posted& posted)>;

    Posts(Loop& loop, Worker& slurm, Ended ended) : loop_(loop), slurm_(slurm), ended_(std::move(ended)) {}

    /// Posts `judgement` unless it is what was posted last.
    void submit(std::uint32_t job_id, const Judgement& judgement);
    void forget(std::uint32_t job_id);

private:
    struct Entry {
        Judgement wanted;
        std::optional<Judgement> posted;
        unsigned failures = 0;
        bool busy = false; // in the worker's hands, or waiting for its time
    };

    void start(std::uint32_t job_id);
    void finish(std::uint32_t job_id, const Judgement& tried, const Result<Posted>& posted);
    void start_after(std::chrono::milliseconds delay, std::uint32_t job_id);

    Loop& loop_;
    Worker& slurm_;
    Ended ended_;
    std::map<std::uint32_t, Entry> entries_;
};

} // namespace mscale::daemon
