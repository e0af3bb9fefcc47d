#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contract/verified.hpp"
#include "submit/job_request.hpp"
#include "submit/policy.hpp"

namespace mscale::submit {

enum class Outcome {
    accepted,
    faulty,  ///< the text can't be read
    refused, ///< the text is right and can't be honoured
    failed,  ///< the controller can't judge: no inventory, damaged configuration
};

/// What becomes of a job with a contract.  Fields that stay empty leave the job as it is.
struct Decision {
    Outcome outcome = Outcome::accepted;
    std::string message; ///< for the user, lines without a trailing newline; also for an accepted job (what
                         ///< would be refused)
    std::optional<contract::Verified> verified; ///< to be sealed and carried to the nodes
    std::optional<std::string> admin_comment;
    std::optional<std::string> tres_per_node;
    std::optional<std::uint16_t> cpus_per_task, tasks_per_node;
    std::optional<std::uint32_t> min_cpus, max_cpus;
    std::vector<std::string> exclude; ///< beside the nodes that the user excluded
    std::optional<std::uint32_t> min_nodes, max_nodes;
    bool keep_on_node_fail = false; ///< kill_on_node_fail = 0
    bool requeue = false;
};

/// Judges the contract of `job` against the machines of its partitions, in the mode of the site there.  Pure
/// but for the kept rulings of `policy`: no file is touched.
Decision decide(const JobRequest& job, const Policy& policy);

} // namespace mscale::submit
