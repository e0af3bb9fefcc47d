#pragma once

#include <sys/socket.h>

namespace mscale {

/// Binds a TCP socket to a port that only root can take, so that the other side counts it apart from the users of this
/// host.  Where none is free or this isn't root, the socket stays unbound and calls from any.
void take_reserved_port(int socket, sa_family_t family);

} // namespace mscale
