#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mscale::submit {

/// What `scontrol update` asks to change, as far as a contract may depend on it.  An empty optional is left
/// as it is.
struct JobChange {
    std::optional<std::string> tres_per_node = {}, other_tres = {};
    std::optional<std::uint32_t> min_nodes = {}, max_nodes = {}, tasks = {}, min_cpus = {};
    std::optional<std::uint16_t> cpus_per_task = {}, tasks_per_node = {};
    std::optional<bool> requeue = {};
    std::optional<std::string> partition = {};
    std::optional<std::vector<std::string>> excluded_nodes = {};
};

/// A pending job as Slurm shows it.
struct PendingJob {
    std::string admin_comment;
    std::string partition, tres_per_node;
    std::uint32_t nodes = 0, max_nodes = 0, tasks = 0, cpus = 0;
    std::uint16_t cpus_per_task = 0, tasks_per_node = 0;
    bool requeue = false;
    std::vector<std::string> excluded_nodes;
};

/// True when the change could touch a contract at all; only then is the job looked at.
bool concerns_contract(const JobChange& change);

/// Why the change would break the contract of the job: one sentence, or "" when it may pass.  Jobs without a
/// contract, and those that are only observed, may be changed freely.
std::string find_breach(const PendingJob& job, const JobChange& change, const std::string& gres_name);

/// The job's number in "12", "12_3", "12_[1-4]" or "12+1", or nothing.
std::optional<std::uint32_t> find_job_id(const std::string& text);

} // namespace mscale::submit
