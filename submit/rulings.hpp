#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "contract/parse.hpp"
#include "contract/site.hpp"
#include "contract/verdict.hpp"
#include "hal/inventory.hpp"
#include "submit/candidates.hpp"

namespace mscale::submit {

/// A contract's text, read.
struct ReadContract {
    contract::Parsed parsed;
    std::string canonical; ///< "" when it has faults
};

/// What a class of machines answers to a contract.
struct Ruling {
    std::vector<contract::Refusal> refusals; ///< empty: honoured
    std::vector<std::string> unenforced;
    unsigned chunks_per_node = 0; ///< gres/sm
    unsigned cores_per_task = 0;  ///< what -c must be at least, in cores
    unsigned cpus_per_core = 1;   ///< SMT: Slurm counts CPUs
    bool is_stale = false;        ///< refused only because the inventory is too old to be judged by
    bool honoured() const { return refusals.empty(); }
};

/// The nearest contract that a class would honour.
struct NearestText {
    std::string canonical;  ///< "" none
    std::string changes;    ///< what it changes, adds and drops, in words
    bool cut_short = false; ///< none was found in the time that slurmctld can spare
};

/// The shape of a job as far as a verdict depends on it.
struct Shape {
    unsigned tasks_per_node = 1;
    bool has_script = true;
};

/// Reads and judges each text once for each class and shape: parse and verify are pure for fixed files, so
/// the answer may be kept.  Safe for several threads.  Bounded: a full table is emptied, and texts above 4
/// KiB are not kept.
class Rulings {
public:
    /// slurmctld waits for a search for a nearest contract, so that it ends after this time.
    explicit Rulings(std::chrono::milliseconds longest_search = std::chrono::milliseconds(20))
        : longest_search_(longest_search)
    {
    }

    std::shared_ptr<const ReadContract> read(const std::string& text, const contract::Profiles& profiles);
    /// As `submit::find_candidates`; kept while the user excludes no node.
    std::shared_ptr<const Result<Candidates>> find_nodes(const JobRequest& job,
                                                         const hal::Inventory& inventory);
    std::shared_ptr<const Ruling> judge(const ReadContract& contract, const Shape& shape,
                                        const contract::Site& site, const hal::MachineClass& machine_class);
    /// Searched only for the class whose answer is told: slurmctld waits for it.
    std::shared_ptr<const NearestText> find_nearest(const ReadContract& contract, const Shape& shape,
                                                    const contract::Site& site,
                                                    const hal::MachineClass& machine_class);

private:
    static constexpr std::size_t most_entries = 256;
    static constexpr std::size_t longest_text = 4 << 10;

    template <class Value, class Make> std::shared_ptr<const Value>
    keep(std::map<std::string, std::shared_ptr<const Value>>& table, std::string key, Make make);

    const std::chrono::milliseconds longest_search_;
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<const ReadContract>> contracts_;
    std::map<std::string, std::shared_ptr<const Result<Candidates>>> nodes_;
    std::map<std::string, std::shared_ptr<const Ruling>> rulings_;
    std::map<std::string, std::shared_ptr<const NearestText>> nearest_;
};

} // namespace mscale::submit
