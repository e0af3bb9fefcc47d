#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contract/core_pool.hpp"
#include "contract/verdict.hpp"

namespace mscale::contract {

/// Where a role's cores must or should lie.
struct Domain {
    enum class Force {
        none,      ///< anywhere
        preferred, ///< better here (the site's `prefer = same_domain`)
        site,      ///< the site forbids another place (`cross_domain`)
        contract,  ///< the contract says `near`
    } force = Force::none;
    CpuSet cpus;
    std::optional<unsigned> numa;
    std::string name; ///< "GPU 0 (0000:1b:00.0)", for people
    bool must() const { return force >= Force::site; }
};

/// One role of one worker while its places are sought.
struct Seat {
    std::string name; ///< of the role
    const Role* role = nullptr;
    std::size_t worker = 0;
    const hal::Gpu* gpu = nullptr; ///< the role's own, else the worker's
    const hal::Disk* disk = nullptr;
    Domain domain = {};
    CpuSet cpus = {};
    std::optional<unsigned> numa = {}; ///< of its pages
    std::string clause(std::string_view key) const;
};

/// One worker while its places are sought.
struct WorkerDraft {
    const hal::Gpu* gpu = nullptr;
    const hal::RdmaPort* port = nullptr; ///< the one that `near = nic` means
    unsigned sms = 0, chunks = 0;
    CpuSet main;
};

/// How many workers a node holds.  More workers than CPUs are never placed (verify_policy refuses them), so no more are
/// counted.
std::size_t count_workers(const Contract& contract, const Question& question);

/// A verdict in the making: what is placed so far and what stands in its way.  The verify_… and place_…
/// functions each judge one subject, add every refusal they find and leave the rest to the others.
struct Draft {
    /// Only for a contract whose roles and workers lie within `most_roles`.
    Draft(const Contract& contract, const Question& question);

    const Contract& contract;
    const Question& question;
    const hal::Machine& machine;
    const Site& site;
    CpuSet usable;  ///< online, granted by Slurm, and not isolated where the site forbids that
    CorePool cores; ///< the cores of `usable`
    std::vector<WorkerDraft> workers;
    std::vector<Seat> seats; ///< every role of every worker
    std::vector<const hal::RdmaPort*> ports;
    std::vector<PagePlan> pages;
    std::uint64_t grown_bytes = 0; ///< of these pages those that the kernel must make of free memory
    std::vector<Refusal> refusals;
    std::vector<std::string> warnings, notes;

    /// True when a refusal of this code and clause stands already, so that no text need be made for another.
    bool is_refused(Code code, const std::string& clause) const;
    bool strict() const { return contract.strict.value_or(true); }
    /// Adds a refusal; a second one of the same code and clause is another worker's and says nothing new.
    void refuse(Code code, const std::string& clause, std::string reason, std::string hint);
    /// A refusal in a strict contract, a warning in a lenient one.
    void doubt(Code code, const std::string& clause, const std::string& reason, std::string hint);
    /// Adds a warning or a note once.
    void warn(std::string text);
    void note(std::string text);
};

// In the order in which verify calls them; each in the file of its name.
void verify_policy(Draft& draft);
void verify_gpus(Draft& draft);
void verify_rdma(Draft& draft);
void verify_disks(Draft& draft);
void verify_domains(Draft& draft);
void verify_core_sets(Draft& draft);
void verify_cores(Draft& draft);
void verify_abilities(Draft& draft);
void verify_hugepages(Draft& draft);
void verify_ft(Draft& draft);

} // namespace mscale::contract
