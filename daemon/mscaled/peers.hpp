#pragma once

#include <functional>
#include <memory>
#include <string>

#include "daemon/mscaled/credential.hpp"
#include "daemon/mscaled/listener.hpp"
#include "daemon/mscaled/message.hpp"
#include "daemon/mscaled/slurm_nodes.hpp"
#include "daemon/mscaled/worker.hpp"

namespace mscale::daemon {

/// The channel between the daemons of a cluster: one request and one answer a connection, each a munge
/// credential (message.hpp).  Sizes, the number of connections and their time are bounded; a request of
/// somebody who may not ask is closed without an answer.
class Peers {
public:
    using Answer = std::function<void(Json)>;
    using Handle = std::function<void(const Request&, Answer)>;
    using Answered = std::function<void(Result<Json>)>;

    /// `munge` is the thread on which credentials are made and opened.
    Peers(Loop& loop, Worker& munge, Sealer sealer, Fd socket, Handle handle);

    /// This node's name; requests are refused until it is known.
    void set_self(std::string name) { self_ = std::move(name); }

    /// Asks another node's daemon.  `answered` is called once.
    void call(const std::string& node, const NodeAddress& address, const std::string& op, Json body,
              Answered answered);

private:
    void serve(Fd socket);
    void open(const std::shared_ptr<class Connection>& connection, std::string credential);
    void answer(const std::shared_ptr<class Connection>& connection, const Request& request);
    void converse(const NodeAddress& address, const std::string& nonce, Result<std::string> credential,
                  Answered answered);
    void open_answer_of(const std::string& nonce, std::string credential, Answered answered);

    Loop& loop_;
    Worker& munge_;
    Sealer sealer_;
    Handle handle_;
    std::string self_;
    Listener listener_;
};

} // namespace mscale::daemon
