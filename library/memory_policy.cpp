#include "library/memory_policy.hpp"

#include <cerrno>
#include <climits>

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace mscale::library {
namespace {

constexpr unsigned bits_per_word = sizeof(unsigned long) * CHAR_BIT;
constexpr unsigned most_nodes = 4096; // more than any kernel is built for, which refuses to tell of fewer than it has

} // namespace

Result<std::optional<MemoryPolicy>> read_memory_policy()
{
    MemoryPolicy policy;
    policy.nodes.resize(most_nodes / bits_per_word);
    if (::syscall(SYS_get_mempolicy, &policy.mode, policy.nodes.data(), most_nodes, nullptr, 0) == 0) return policy;
    if (errno == ENOSYS) return std::nullopt;
    return os_failure(Code::apply_cores, "the memory policy of this thread", errno);
}

Result<void> set_memory_policy(const MemoryPolicy& policy)
{
    const unsigned long bits = policy.nodes.size() * bits_per_word + 1; // the kernel looks at one less
    if (::syscall(SYS_set_mempolicy, policy.mode, policy.nodes.data(), bits) == 0) return {};
    return os_failure(Code::apply_cores, "set_mempolicy", errno);
}

MemoryPolicy make_node_policy(unsigned node)
{
    MemoryPolicy policy{MPOL_BIND, {}};
    policy.nodes.resize(node / bits_per_word + 1);
    policy.nodes.back() = 1UL << (node % bits_per_word);
    return policy;
}

} // namespace mscale::library
