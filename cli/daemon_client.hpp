#pragma once

#include <optional>
#include <string>

#include "base/handle.hpp"
#include "base/error.hpp"
#include "base/json_forward.hpp"
#include "contract/site.hpp"

namespace mscale::cli {

/// A request to this node's mscaled whose answer is awaited: for a loop that waits for other things too.
class OpenRequest {
public:
    static Result<OpenRequest> send(const contract::Site& site, const Json& request);

    /// For poll(2): readable when there is something for `receive`.
    int descriptor() const { return socket_.number(); }
    /// Reads what is there: the answer once it is whole, nothing before; an answer that says no comes back as its error.
    Result<std::optional<Json>> receive();

private:
    explicit OpenRequest(Fd socket) : socket_(std::move(socket)) {}

    Fd socket_;
    std::string line_;
};

/// Sends one request to this node's mscaled and gives its answer; an answer that says no comes back as its error.
/// The requests are those of daemon/mscaled/local_socket.hpp.
Result<Json> ask_daemon(const contract::Site& site, const Json& request);

} // namespace mscale::cli
