#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "contract/plan.hpp"
#include "hal/machine.hpp"

namespace mscale::contract {

/// The huge pages of a machine, and what is taken of them: free ones first, then, where the site allows it,
/// pages that the kernel makes of free memory of the same node.  An eighth of that memory is left alone: the
/// kernel needs it, and scattered pages can't be joined.
class PageRoom {
public:
    PageRoom(const hal::Machine& machine, bool grow);

    /// Takes pages, or none when there aren't as many.
    bool take(std::uint64_t page_bytes, std::uint64_t count, unsigned numa);
    std::uint64_t left(std::uint64_t page_bytes, unsigned numa) const;
    std::uint64_t taken(std::uint64_t page_bytes, unsigned numa) const;
    /// The node with the most left.
    unsigned roomiest(std::uint64_t page_bytes) const;

    /// "512 free, 100 more from 1 GiB of free memory"
    std::string describe(std::uint64_t page_bytes, unsigned numa) const;
    /// One line for each pool that must grow.
    std::vector<std::string> describe_growth() const;
    std::vector<PagePlan> totals() const;
    /// Of all that is taken what the kernel must make of free memory.
    std::uint64_t grown_bytes() const;

private:
    using Pool = std::pair<std::uint64_t, unsigned>; ///< page size, NUMA node
    std::uint64_t free_pages(const Pool& pool) const;
    std::uint64_t growable(const Pool& pool) const;

    std::map<unsigned, std::uint64_t> memory_; ///< bytes that may become huge pages, by node
    std::map<Pool, std::uint64_t> free_, taken_, grown_;
};

} // namespace mscale::contract
