#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/files.hpp"
#include "contract/ledger.hpp"
#include "contract/site.hpp"
#include "daemon/mscaled/findings.hpp"
#include "daemon/mscaled/part_book.hpp"
#include "daemon/mscaled/role_process.hpp"
#include "daemon/mscaled/watch.hpp"

namespace mscale::daemon {

/// A job that holds a ledger on this node.
struct LocalJob {
    contract::LedgerRecord record;
    contract::Run run; ///< of the ledger; none where there is only a file of refusals or it can't be read
    std::vector<contract::TaskRecord> tasks;
    contract::OnBreach on_breach = contract::OnBreach::fail;
    bool keeps_snapshots = false; ///< the contract has [ft]
    /// What slurmctld counts for this run; nothing before it has said so (RestartCounts).
    std::optional<std::uint32_t> restarts;
    std::int64_t first_save = 0;                 ///< milliseconds; 0: no snapshots are promised
    bool step_began = false, step_ended = false; ///< of any step that srun started
    Findings findings;                           ///< of the last look
    std::optional<Breach>
        suspected; ///< seen once; a process may be looked at between its record and its binding
    std::optional<Breach> breach; ///< seen twice; stays
    PartBook parts;               ///< what is lost of its devices
};

/// The jobs of this node, read from their ledgers.  A ledger that can't be read, twice in a row, is named once in
/// the log, its contract counts as refused, since no step can be planned by it, and the file is left alone.
class Jobs {
public:
    /// `root` is where the parts of the machine are looked for.
    explicit Jobs(const contract::Site& site, Root root = Root());

    struct Changes {
        /// New, or with another stage, run, node list or refusal of a step, or its first step has begun.
        std::vector<std::uint32_t> changed;
        std::vector<std::uint32_t> gone;
    };
    /// Reads the ledgers again.
    Changes refresh();
    /// Reads the ledger of one job again.
    Changes refresh(std::uint32_t job_id);

    /// Compares each job that was applied with the machine.  `confirm` is true when something was seen for
    /// the first time and should be looked at again soon; `broken` are jobs whose breach is now certain.
    struct Look {
        bool confirm = false;
        std::vector<std::uint32_t> broken;
        std::vector<std::uint32_t> ended; ///< their first step has ended
        std::vector<std::uint32_t> lossy; ///< they have lost parts, or no longer work with one that they lost
        std::vector<std::pair<std::uint32_t, PartFinding>> gone; ///< parts whose way back is to be found: `lose`
    };
    Look look();

    const std::map<std::uint32_t, LocalJob>& all() const { return jobs_; }
    const LocalJob* find(std::uint32_t job_id) const;
    /// The directory of the ledgers.
    const std::string& directory() const { return directory_; }

    /// What the registration of a role reads.
    std::vector<JobPlaces> places() const;
    /// The jobs of a user, as of the last look at their ledgers.
    std::vector<std::uint32_t> of_user(uid_t uid) const;
    /// Takes over what a newer mscale.conf says.
    void use(const contract::Site& site) { profiles_ = site.profiles; }
    /// slurmctld counts so many restarts before the run whose ledger is here now.
    void learn_restarts(std::uint32_t job_id, std::uint32_t restarts);
    /// Marks a breach that was found otherwise than by looking (a stepd that is gone).
    void mark(std::uint32_t job_id, const Breach& breach);
    /// A GPU of this node has failed: what its jobs lost is seen by the next look.
    void learn_gpu_fault(const std::string& pci, const std::string& what) { gpu_faults_.emplace(pci, what); }
    /// Some job of this node has a GPU.
    bool have_gpus() const;
    /// Writes down what replaces a part that is gone, "" nothing.  The loss, or null when the job has the part no more.
    const LostPart* lose(std::uint32_t job_id, const PartFinding& gone, const std::string& other);

private:
    bool read_job(std::uint32_t job_id, Changes& changes);
    bool take(std::uint32_t job_id, contract::LedgerRecord record, Changes& changes);
    bool take_damage(std::uint32_t job_id, const Error& error, Changes& changes);
    void look_at(LocalJob& job, const std::vector<contract::PagePlan>& others, Look& look);
    void look_at_parts(LocalJob& job, Look& look);
    static void look_for_stepd(LocalJob& job);

    Root root_;
    std::string directory_;
    std::string profiles_;
    std::map<std::uint32_t, LocalJob> jobs_;
    GpuFaults gpu_faults_;
    bool observe_;                              // what counts where no ledger says it
    std::map<std::uint32_t, unsigned> damaged_; // how often in a row
};

} // namespace mscale::daemon
