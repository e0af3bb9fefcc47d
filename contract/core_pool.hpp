#pragma once

#include <optional>
#include <vector>

#include "base/cpu_set.hpp"
#include "hal/machine.hpp"

namespace mscale::contract {

/// The whole cores that a contract may use, and which of them are taken.
///
/// A core is there when at least one of its CPUs may be used, and it is planned with those that may: under
/// --hint=nomultithread Slurm grants one CPU of each core and leaves the sibling idle.
class CorePool {
public:
    CorePool(const hal::Machine& machine, const CpuSet& usable);

    /// Takes `count` free cores in Slurm's order, inside `within` when it is given, or takes none.
    std::optional<CpuSet> take(std::size_t count, const CpuSet* within);
    /// Takes the cores of these CPUs, whoever holds them.
    void reserve(const CpuSet& cpus);

    /// The CPUs of the free cores inside `within`, or of all free ones.
    CpuSet free_cpus(const CpuSet* within = nullptr) const;
    std::size_t count_free(const CpuSet* within = nullptr) const;
    /// The same, taken or not.
    CpuSet all_cpus(const CpuSet* within = nullptr) const;
    std::size_t count_all(const CpuSet* within = nullptr) const;
    /// The CPUs of taken cores among these.
    CpuSet taken_among(const CpuSet& cpus) const;
    /// The usable CPUs of every core that `cpus` touches.
    CpuSet whole_cores(const CpuSet& cpus) const;
    /// Each core of `cpus` apart, in Slurm's order.
    std::vector<CpuSet> split_cores(const CpuSet& cpus) const;

private:
    struct Entry {
        CpuSet cpus;
        bool taken = false;
    };
    CpuSet collect(const CpuSet* within, bool with_taken) const;
    std::size_t count(const CpuSet* within, bool with_taken) const;

    std::vector<Entry> entries_;
};

} // namespace mscale::contract
