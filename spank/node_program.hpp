#pragma once

#include <chrono>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "contract/ledger.hpp"
#include "contract/site.hpp"
#include "spank/arguments.hpp"

namespace mscale::spank {

/// Where things lie on this node.  A mscale.conf that can't be read gives the defaults and its error: jobs without a
/// contract must not notice, and those with one are refused with it.
struct NodeSite {
    explicit NodeSite(const std::string& config);
    contract::Site site;
    Result<void> read;

    /// False where the site only observes or is off: then nothing is refused.  True when mscale.conf can't say.
    bool enforces(std::string_view partition) const
    {
        return !read || contract::mode_of(site, partition) == contract::Mode::enforce;
    }
    /// The directory of the ledgers.
    std::string jobs() const { return contract::ledger_directory(site.state); }
};

/// How long mscale-node may take, and how long it is waited for when it had to be killed.
struct Times {
    std::chrono::milliseconds deadline, death_limit;
    bool operator==(const Times&) const = default;
};

/// Slurm drains a node whose prolog or epilog it had to end, so both together end well before `slurms_own` deadline, when
/// there is one.
Times plan_times(std::chrono::milliseconds site_deadline,
                 std::optional<std::chrono::milliseconds> slurms_own);

/// Runs `mscale-node VERB` as root with `input`, and gives back its output.  The environment is ours, with what
/// `environment` holds of SLURM_*, SLURMD_NODENAME, SPANK_MSCALE_* and MSCALE_*.  The deadline is the site's, or earlier
/// where Slurm would end a prolog before it.  Whatever goes wrong (missing, killed, too late, a status other than 0) is an
/// error that says so.
Result<std::string> run_node_program(const NodeSite& node, const Arguments& arguments,
                                     const std::string& verb, const char* const* environment,
                                     const std::string& input);

} // namespace mscale::spank
