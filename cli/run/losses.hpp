#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mscale::cli {

/// What ended a run before its program was done.
enum class Cause {
    node,    ///< a node died, or Slurm took it out of the allocation
    part,    ///< a node lives on without a device that the ranks had
    program, ///< it ended by itself: an exit code, a signal, ranks that never said that they are done
    hang,    ///< no rank went on for too long
    launch   ///< Slurm gave it no step in time
};

/// The blame record of one run.
struct Loss {
    Cause cause = Cause::program;
    std::string node;       ///< who is to blame, "" where that isn't known or isn't one node
    std::string what;       ///< "exit code 3", "n1, n3 and ctl heard nothing since 12:00:01"
    std::uint64_t step = 0; ///< that the slowest rank had reached, as far as it was told
    std::optional<std::uint64_t> committed_step; ///< of the newest snapshot at that time
    bool has_ranks = false;                      ///< ranks had joined: a new run can go on from snapshots
    bool operator==(const Loss&) const = default;
};

/// What is to be done after a loss.
enum class Remedy {
    restart,
    give_up_budget,      ///< the restarts are used up
    give_up_no_progress, ///< two losses in a row at the same step by the program's own fault
    give_up_unregistered ///< the program's own fault, and it has no snapshots: it would begin anew
};

/// The losses of one `mscale run`, and what follows from them.  Pure.
class LossBook {
public:
    explicit LossBook(unsigned max_restarts) : max_restarts_(max_restarts) {}

    /// `step_slack` is how many training steps a rank may have done since it last told its step.
    Remedy add(Loss loss, std::uint64_t step_slack);
    /// A loss after which nothing is to be judged.
    void note(Loss loss) { losses_.push_back(std::move(loss)); }
    unsigned restarts() const { return restarts_; }
    unsigned max_restarts() const { return max_restarts_; }
    /// Nodes that lost two runs by themselves.
    std::set<std::string> blamed() const;
    const std::vector<Loss>& losses() const { return losses_; }

private:
    Remedy judge(std::uint64_t step_slack) const;

    unsigned max_restarts_;
    unsigned restarts_ = 0;
    std::vector<Loss> losses_;
};

/// "n2 died: …", "the program ended with exit code 3 at step 650".
std::string describe(const Loss& loss);
/// One line of the blame record a loss.
std::vector<std::string> describe(const std::vector<Loss>& losses);

} // namespace mscale::cli
