#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/socket.h>

#include "base/error.hpp"

namespace mscale::recovery {

/// An address by which rdma_cm reaches a port of an adapter.
struct PortAddress {
    std::string port;    ///< "mlx5_0:1"
    std::string address; ///< "10.0.0.7", "fd00::7"
    bool operator==(const PortAddress&) const = default;
};

/// Those of this node's active ports, without the loopback and link-local ones.
std::vector<PortAddress> list_port_addresses();
/// Those of the ports named, or all where none is named.
std::vector<PortAddress> list_port_addresses(const std::vector<std::string>& ports);

/// For the calls of rdma_cm; 0 for any port.
Result<sockaddr_storage> read_socket_address(const std::string& address, std::uint16_t port);

} // namespace mscale::recovery
