#pragma once

#include <cstdint>
#include <functional>

#include <sys/socket.h>

#include "base/error.hpp"
#include "recovery/session_key.hpp"
#include "recovery/verbs/event.hpp"
#include "recovery/verbs/queue.hpp"
#include "recovery/verbs/verbs.hpp"

namespace mscale::recovery {

/// How the two sides of a connection know each other, in the private data of its set-up.
struct Proofs {
    SessionKey::Mac own{};
    std::function<bool(const SessionKey::Mac&)> holds; ///< of the other side
};

/// A reliable connection to another keeper's adapter.  Every call may block until its deadline: for threads.
class Connection {
public:
    /// Connects from one of this node's addresses.  Code::verbs when nobody is there, bad_frame when it is somebody else.
    static Result<Connection> dial(const sockaddr_storage& from, const sockaddr_storage& to,
                                   const VerbsTerms& terms, const Proofs& proofs, Deadline until,
                                   int lifeline);

    Queue& queue() { return queue_; }
    const Queue& queue() const { return queue_; }
    /// Ends it: whatever is in flight is given back as failed.
    void break_off();
    /// How often the adapter sends again, as the queue pair has it.
    unsigned retry_count() const;

private:
    friend class Listener;
    Connection(ChannelHandle channel, IdHandle id, Queue queue);

    // In the order in which each needs those before it.
    ChannelHandle channel_;
    IdHandle id_;
    Queue queue_;
};

/// Waits for one other keeper, on a port that only that one is told.
class Listener {
public:
    static Result<Listener> open(sa_family_t family);
    std::uint16_t port() const;
    /// The connection of the first that proves who it is; all others are refused.  The wait ends when the other side says
    /// something over `lifeline`.
    Result<Connection> accept(const VerbsTerms& terms, const Proofs& proofs, Deadline until, int lifeline) &&;

private:
    Listener(ChannelHandle channel, IdHandle id);
    Result<IdHandle> await_proven(const Proofs& proofs, Deadline until, int lifeline);

    ChannelHandle channel_;
    IdHandle id_;
};

} // namespace mscale::recovery
