#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "daemon/mscaled/part_loss.hpp"

namespace mscale::daemon {

/// What one job has lost of its parts on this node.  Pure.
class PartBook {
public:
    using Time = std::chrono::milliseconds; ///< of the wall clock, since 1970

    struct Outcome {
        bool confirm = false;          ///< something was seen for the first time: look again soon
        bool mended = false;           ///< the job no longer works with a part that was lost
        std::vector<PartFinding> gone; ///< seen lost twice in a row, or certain: `decide` is due
    };
    /// Takes a look at all parts of the job.
    Outcome look(const std::vector<PartFinding>& findings, Time now);
    /// Takes what replaces a part that is gone: its way back is chosen.  The loss, or null when the job no longer has the part.
    /// `step` is the newest step of srun.
    const LostPart* decide(const PartFinding& gone, const std::string& other, Time now,
                           std::optional<std::uint32_t> step = {});

    const std::vector<LostPart>& lost() const { return lost_; }

private:
    bool is_known(const Part& part) const;

    std::vector<PartFinding> suspected_, undecided_;
    std::vector<LostPart> lost_;
    Time whole_{0}; // the last look that found nothing new
};

} // namespace mscale::daemon
