#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace mscale {

/// A set of logical CPU numbers, as the kernel counts them.
class CpuSet {
public:
    /// The greatest number that is accepted: the kernel's NR_CPUS is at most 8192 on every port.
    static constexpr unsigned limit = 8192;

    CpuSet() = default;
    explicit CpuSet(std::vector<unsigned> cpus); ///< in any order, repeated or not

    const std::vector<unsigned>& cpus() const { return cpus_; } ///< ascending, each once
    bool empty() const { return cpus_.empty(); }
    std::size_t size() const { return cpus_.size(); }
    bool contains(unsigned cpu) const;
    bool contains(const CpuSet& other) const;
    bool intersects(const CpuSet& other) const;
    void insert(unsigned cpu);
    CpuSet operator|(const CpuSet& other) const;
    CpuSet operator&(const CpuSet& other) const;
    CpuSet operator-(const CpuSet& other) const;
    auto operator<=>(const CpuSet&) const = default;

private:
    std::vector<unsigned> cpus_;
};

/// A CPU list in the kernel's grammar, strictly: "0-3,8-11:2/4", "0-7:2" (stride), blanks only around it.
/// An empty list, a reversed range, a trailing comma, a mask ("0xff") are faults whose text names the byte (from 1).
/// Source: lib/bitmap-str.c, bitmap_parselist, of the kernel; `allow_empty` for sysfs files of nodes without CPUs.
Result<CpuSet> parse_cpu_list(std::string_view text, bool allow_empty = false);

/// The kernel's shortest form: "0-3,8"; "" for the empty set.
std::string to_string(const CpuSet& set);

/// The calling process's affinity, or that of `pid`.
Result<CpuSet> read_affinity(int pid = 0);

/// Binds `pid` (0: the caller) to exactly `set` and reads it back; an error names both sets when they differ.
Result<void> bind_affinity(int pid, const CpuSet& set);

} // namespace mscale
