#pragma once

#include <optional>
#include <string>

#include <sys/types.h>

#include "base/error.hpp"

namespace mscale::daemon {

/// What munge proves about a message.
struct Proven {
    uid_t uid = 0;
    std::string payload;
};

/// Seals messages between nodes with munge.  Blocks for as long as munged takes: only for a Worker.
class Sealer {
public:
    /// `socket` is munged's; "" its default.
    explicit Sealer(std::string socket) : socket_(std::move(socket)) {}

    /// A credential of this process; only `reader` (and root) can open it when given.
    Result<std::string> seal(const std::string& payload, std::optional<uid_t> reader = {}) const;
    /// Opens a fresh credential: one that is old, seen before on this node, or changed is an error.
    Result<Proven> open(const std::string& credential) const;

private:
    std::string socket_;
};

} // namespace mscale::daemon
