#pragma once

#include <optional>
#include <string>

#include "contract/site.hpp"

namespace mscale::node {

/// What is asked: to set this node up for a run of a job that got no prolog here.
struct AgainQuestion {
    std::uint32_t job_id = 0;
    std::optional<std::uint32_t> uid; ///< who says that it is his job; nothing where root asks
};

/// Reads {"job","uid"}.
Result<AgainQuestion> read_again_question(const std::string& text);

/// Sets the node up as the prolog of the job's earlier run did, for what slurmctld granted this one; once, however many ask
/// at the same time.  A job of which nothing is kept, that is another user's or never ran before is left alone: it has no
/// contract here.  An error when slurmctld doesn't answer or says that the job doesn't hold this node.
Result<void> set_up_again(const AgainQuestion& question, const contract::Site& site);

} // namespace mscale::node
