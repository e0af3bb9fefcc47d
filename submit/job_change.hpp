#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace mscale::submit {

/// What `scontrol update` asks to change, as far as a contract may depend on it.  An empty optional is left
/// as it is.
struct JobChange {
    std::optional<std::string> tres_per_node = {}, other_tres = {};
    std::optional<std::uint32_t> min_nodes = {}, max_nodes = {}, tasks = {}, min_cpus = {};
    std::optional<std::uint16_t> cpus_per_task = {}, tasks_per_node = {}, cpus_per_node = {};
    std::optional<std::string> required_nodes = {};
    std::optional<bool> requeue = {};
    std::optional<std::string> partition = {};
    std::optional<std::vector<std::string>> excluded_nodes = {};
};

/// A pending job as Slurm shows it.
struct PendingJob {
    std::string admin_comment;
    std::string partition, tres_per_node;
    std::uint32_t nodes = 0, max_nodes = 0, tasks = 0, cpus = 0;
    std::uint16_t cpus_per_task = 0, tasks_per_node = 0, cpus_per_node = 0;
    bool requeue = false;
    bool running = false;
    std::vector<std::string> excluded_nodes;
};

/// Why the change would break the contract of the job: one sentence, or "" when it may pass.  Jobs without a
/// contract, and those that are only observed, may be changed freely.
std::string find_breach(const PendingJob& job, const JobChange& change, const std::string& gres_name);

/// The job's number in "12", "12_3", "12_[1-4]" or "12+1", or nothing.  Slurm's own reading (strtol, cut to 32 bits) takes
/// " 12", "+12" and "4294967308" for job 12, too: those are nothing here, and such a change is refused.
std::optional<std::uint32_t> find_job_id(const std::string& text);

/// True when a contract's AdminComment holds the job to what was judged (not where it was only observed).
bool is_held(const std::string& admin_comment);

/// What is needed to answer a change of a job; each part is asked only when those before didn't decide.
struct ChangeQuestion {
    std::optional<std::string>
        admin_comment;                   ///< of the job that the hook was given; nothing: it can't be read
    std::optional<std::uint32_t> job_id; ///< as find_job_id reads it
    std::function<std::optional<std::vector<PendingJob>>(std::uint32_t)> find_job; ///< nothing: not known yet
    std::function<Result<JobChange>()> read_change;
};

struct ChangeAnswer {
    enum class Kind {
        allowed,
        refused,
        unreadable_id, ///< refused as well
        ask_again,     ///< the job isn't known yet
    } kind = Kind::allowed;
    std::string reason = {}; ///< of a refusal
};

/// Answers a user's change of fields that a contract depends on.
ChangeAnswer answer_change(const ChangeQuestion& question, const std::string& gres_name);

} // namespace mscale::submit
