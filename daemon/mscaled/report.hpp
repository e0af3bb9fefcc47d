#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json_forward.hpp"
#include "contract/contract.hpp"
#include "contract/ledger.hpp"
#include "daemon/mscaled/part_loss.hpp"

namespace mscale::daemon {

/// A promise that no longer holds: "pid" "4711", "role" "image_loader", "promised" "0", "found" "0-1".
struct Breach {
    std::vector<std::pair<std::string, std::string>> fields; ///< values hold no blank and no ';'
    bool operator==(const Breach&) const = default;
};

/// How far the ranks of one node keep the promise of snapshots.
struct KeptState {
    std::int64_t first_save =
        0; ///< milliseconds within which the first snapshot must be there; 0: no [ft], so none is promised
    unsigned registered = 0;                     ///< ranks that have registered state here
    unsigned saved = 0;                          ///< those of them that have saved it
    std::uint64_t committed = 0; ///< step of the newest snapshot of the whole job; 0: none was ever committed
    std::uint64_t spilled = 0;   ///< step of the newest one whose files are all there
    std::string spill_fault = {}; ///< why this node doesn't write files that the contract promises; no blank and no ';'
    std::string exposed = {}; ///< the failure domain whose loss would take ranks of this node and all that is kept of them
    std::string short_grace = {}; ///< "37.0s_needed_of_30s_(KillWait)": the last snapshot takes longer here than the notice
    bool step_began = false, step_ended = false; ///< of any step that srun started
    bool operator==(const KeptState&) const = default;
};

/// What one node says of a job to the node that writes the job's state.
struct Report {
    std::uint32_t job_id = 0;
    std::uint32_t uid = 0;
    std::uint32_t restarts = 0;
    std::int64_t started =
        0;            ///< of the ledger, seconds since the epoch: tells one run of a job id from the next
    std::string node; ///< who says it
    std::vector<std::string> nodes; ///< of the allocation, in Slurm's order
    contract::Stage stage = contract::Stage::planned;
    bool observe = false;
    std::vector<contract::Refusal> refusals;
    std::string refused_step; ///< the step that they refuse, "" when they refuse the whole job
    std::vector<std::string> unenforced;
    std::optional<Breach> breach;
    std::vector<LostPart> lost = {}; ///< of the node's devices that the job had
    contract::OnBreach on_breach = contract::OnBreach::fail;
    unsigned chunks = 0; ///< slices of the node
    KeptState kept;
    bool operator==(const Report&) const = default;
};

/// The first step of a job that was set up whose tasks were all refused, or null: its contract isn't held,
/// whatever the node could do.
const contract::StepRecord* find_refused_step(const contract::LedgerRecord& record);

/// The report of a node whose ledger is `record`.  Fits a message: refusals beyond the sixteenth are left
/// out.
Report make_report(const contract::LedgerRecord& record, const std::string& node,
                   const std::optional<Breach>& breach, contract::OnBreach on_breach);

Json to_json(const Report& report);
Result<Report> report_from_json(const Json& json, const std::string& what);

std::string_view to_string(contract::Stage stage);
std::optional<contract::Stage> parse_stage(std::string_view word);

} // namespace mscale::daemon
