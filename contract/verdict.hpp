#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/json_forward.hpp"
#include "contract/allocation.hpp"
#include "contract/contract.hpp"
#include "contract/plan.hpp"
#include "contract/site.hpp"
#include "hal/machine.hpp"

namespace mscale::contract {

/// One clause that can't be honoured.
struct Refusal {
    Code code;
    std::string clause; ///< "role.image_loader.cores"
    std::string read;   ///< the value as it stands in the contract
    std::string reason; ///< the hardware fact
    std::string hint;   ///< the cure, with the numbers of this machine
    bool operator==(const Refusal&) const = default;
};

/// Honoured with its plan, or refused with every reason.
struct Verdict {
    std::vector<Refusal> refusals;   ///< empty: honoured
    std::vector<std::string> warnings;
    Plan plan;                       ///< whole when honoured; as far as it goes when refused
    bool honoured() const { return refusals.empty(); }
};

/// What is judged against.
struct Question {
    const hal::Machine& machine;
    const Site& site;
    Allocation allocation;        ///< default: the whole machine, one task
    bool at_submit = false;       ///< refuse clauses that aren't enforceable yet, which `mscale check` only warns of
    bool has_script = true;       ///< a batch job: spares are possible
    bool unstarted = false;       ///< the job holds nothing of the machine yet, so that it must fit into what is free
};

/// Pure: the same contract and question give the same verdict.
Verdict verify(const Contract& contract, const Question& question);

/// The contract that `verify` honours and that changes as few clauses as possible, or nothing when there is none of the
/// same shape.
std::optional<Contract> nearest_contract(const Contract& contract, const Question& question);

/// What a search that may take no longer than a given time has found.
struct Nearest {
    std::optional<Contract> contract;
    bool cut_short = false; ///< nothing was found before the time was over, or after 10,000 verdicts
};

/// The same within a time, for a caller that others wait for.  It is passed by one verdict at most.
Nearest nearest_contract_within(std::chrono::steady_clock::duration time, const Contract& contract,
                                const Question& question);

/// "MSC-V013 role.image_loader.hugepages=2MiB*512: node 1 has … ; ask for …" — one line per refusal.
std::string to_text(const std::vector<Refusal>& refusals);

Json to_json(const Refusal& refusal);
Result<Refusal> refusal_from_json(const Json& json, const std::string& what);

} // namespace mscale::contract
