#pragma once

#include <cstdint>
#include <string>

#include "base/files.hpp"

namespace mscale::slicing {

/// The kernel's counts of one page size on one NUMA node, in pages.
struct PoolCounts {
    std::uint64_t persistent = 0;      ///< nr_hugepages less surplus: what nr_hugepages sets
    std::uint64_t free = 0;            ///< on this node, reserved ones included
    std::uint64_t free_everywhere = 0; ///< on all nodes
    std::uint64_t reserved = 0;        ///< by mounts and mappings, on no node in particular
};

/// The kernel's pool of huge pages of one size on one NUMA node.
class KernelPool {
public:
    KernelPool(const Root& root, unsigned numa, std::uint64_t page_bytes);

    Result<PoolCounts> read() const;
    /// Asks the kernel for `count` persistent pages and reads back what it gave, which may be less
    /// (fragmentation) or more (pages in use).
    Result<std::uint64_t> resize(std::uint64_t count) const;
    /// Moves pages together so that huge ones can be had; takes up to seconds on a large machine.
    Result<void> compact() const;
    /// "2 MiB on NUMA node 0"
    std::string name() const;

private:
    std::string path(std::string_view file) const;

    Root root_;
    unsigned numa_;
    std::uint64_t page_bytes_;
};

} // namespace mscale::slicing
