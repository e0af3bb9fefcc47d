#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/json_forward.hpp"
#include "daemon/failure/job_view.hpp"
#include "daemon/keeper/keepers.hpp"

namespace mscale::daemon {

/// ft.every = TIME of a run of several ranks: their clocks differ, so that the keeper of rank 0 names a step for all of them that
/// none has reached yet.  Lives on the loop.
///
///   the time has passed since the last one    steps   -> all keepers: how far their ranks are, twice, for their speed
///   all ranks train                           save_at -> all keepers -> their ranks
class TimedSaves {
public:
    /// Sends an event to the ranks of this node that belong to the run.
    using Push = std::function<void(std::uint32_t job_id, const recovery::Incarnation& run,
                                    std::optional<std::uint32_t> rank, const Json& event)>;
    using Progress = std::function<NodeProgress(std::uint32_t job_id)>;
    struct Run {
        std::uint32_t job_id = 0;
        recovery::Incarnation incarnation;
        std::uint32_t ranks = 0;
        std::chrono::milliseconds every{0};
    };
    TimedSaves(Keepers& keepers, Progress progress, Push push)
        : keepers_(keepers), progress_(std::move(progress)), push_(std::move(push))
    {
    }

    static bool knows(const std::string& op);
    void answer(const std::string& op, const Json& body, const Keepers::Answer& answer);
    /// Rank 0 of the run trains here.  Called often: begins what is due.
    void look(const Run& run, std::chrono::steady_clock::time_point now);
    void forget(std::uint32_t job_id) { pages_.erase(job_id); }

private:
    struct Page {
        recovery::Incarnation run;
        std::chrono::steady_clock::time_point last; ///< when a step was named; at first, when the run was seen
        bool asking = false;
        std::uint64_t step = 0; ///< the named one
    };
    /// How far the ranks of all nodes are.
    struct Steps {
        std::uint32_t training = 0; ///< ranks
        std::uint64_t least = 0, greatest = 0;
    };
    static Steps add_up(const std::vector<std::pair<std::string, Json>>& answers);
    void ask(const Run& run, std::function<void(const Steps&)> then);
    void measure(const Run& run, const Steps& before);
    Page* find(const Run& run);
    void rest(const Run& run);

    Keepers& keepers_;
    Progress progress_;
    Push push_;
    std::map<std::uint32_t, Page> pages_; // by job
};

} // namespace mscale::daemon
