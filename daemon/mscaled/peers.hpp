#pragma once

#include <functional>
#include <memory>
#include <string>

#include "daemon/mscaled/address_book.hpp"
#include "daemon/mscaled/credential.hpp"
#include "daemon/mscaled/listener.hpp"
#include "daemon/mscaled/message.hpp"
#include "daemon/mscaled/throttle.hpp"
#include "daemon/mscaled/worker.hpp"

namespace mscale::daemon {

/// The channel between the daemons of a cluster: one request and one answer a connection, each a munge
/// credential (message.hpp).  Sizes, the number of connections and their time are bounded, for each address and
/// apart for daemons, which call from a port that only root can take; a request of somebody who may not ask is
/// closed without an answer.
class Peers {
public:
    using Answer = std::function<void(Json)>;
    using Handle = std::function<void(const Request&, Answer)>;
    using Answered = std::function<void(Result<Json>)>;

    /// The threads on which credentials are made and opened: `strangers` those that anybody may have sent, `own` the
    /// rest, which must not wait behind them.
    struct Workers {
        Worker& own;
        Worker& strangers;
    };

    /// Finds the address of a node's daemon.
    using Locate = std::function<void(const std::string& node, AddressBook::Located)>;

    Peers(Loop& loop, Workers munge, Sealer sealer, Fd socket, Locate locate, Handle handle);

    /// This node's name; requests are refused until it is known.
    void set_self(std::string name) { self_ = std::move(name); }

    /// Asks another node's daemon.  `answered` is called once.
    void call(const std::string& node, const std::string& op, Json body, Answered answered);

private:
    void serve(Fd socket, const Seat& seat);
    void open(const std::shared_ptr<class Connection>& connection, const Seat& seat, std::string credential);
    void log_refusal(const Error& error);
    void answer(const std::shared_ptr<class Connection>& connection, const Request& request);
    void seal(const NodeAddress& address, const Request& request, const Answered& answered);
    void converse(const NodeAddress& address, const std::string& nonce, Result<std::string> credential,
                  Answered answered);
    void open_answer_of(const std::string& nonce, std::string credential, Answered answered);

    Loop& loop_;
    Workers munge_;
    Sealer sealer_;
    Locate locate_;
    Handle handle_;
    std::string self_;
    Throttle refusals_{std::chrono::seconds(10)}; // anybody can cause them
    Listener listener_;
};

} // namespace mscale::daemon
