#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mscale::submit {

/// What a job that brings a contract asks of Slurm: the fields of job_desc_msg_t that the decision reads, and
/// no more. An empty optional means that the user left the choice to Slurm.
struct JobRequest {
    std::uint32_t uid = 0;
    std::int64_t time = 0;   ///< of the submission, seconds since the epoch
    bool has_script = false; ///< sbatch; srun and salloc have none
    std::string contract;    ///< the text, as it came
    std::vector<std::string> partitions; ///< empty: the default one
    std::vector<std::string> required_nodes, excluded_nodes;
    std::optional<std::uint32_t> min_nodes, max_nodes, tasks, min_cpus, max_cpus;
    std::optional<std::uint16_t> tasks_per_node, cpus_per_task;
    std::optional<bool> requeue;
    std::optional<unsigned> warning; ///< --signal: seconds between the notice and the end of the time limit
    std::string tres_per_node;
    std::string other_tres; ///< tres_per_job, _socket and _task, joined by commas
    std::string gres_prefix =
        "gres:"; ///< how this Slurm spells a GRES in tres_per_node; "gres/" from 23.11 on
    std::string admin_comment;
};

} // namespace mscale::submit
