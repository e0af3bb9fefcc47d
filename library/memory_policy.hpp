#pragma once

#include <optional>
#include <vector>

#include "base/error.hpp"

namespace mscale::library {

/// Where the kernel takes the calling thread's new pages from (set_mempolicy(2)).
struct MemoryPolicy {
    int mode = 0;
    std::vector<unsigned long> nodes; ///< a mask
    bool operator==(const MemoryPolicy&) const = default;
};

/// The calling thread's policy, or nothing where the kernel has none, since it knows one node only.
Result<std::optional<MemoryPolicy>> read_memory_policy();

/// Sets the calling thread's policy.
Result<void> set_memory_policy(const MemoryPolicy& policy);

/// The policy that takes pages from this NUMA node only.
MemoryPolicy make_node_policy(unsigned node);

} // namespace mscale::library
