#pragma once

#include <cstdint>
#include <set>

#include "base/error.hpp"
#include "daemon/mscaled/slurm_nodes.hpp"

/// TCP connections of this network namespace, by the kernel's socket diagnosis.
namespace mscale::daemon {

/// Ends those connections to one host, on whatever port, whose sockets have one of these inode numbers: whoever waits for
/// them is told at once.  One that is being opened is a connection, too; one that ends meanwhile is fine.  How many were
/// ended.
Result<unsigned> end_connections(const NodeAddress& host, const std::set<std::uint64_t>& inodes);

} // namespace mscale::daemon
