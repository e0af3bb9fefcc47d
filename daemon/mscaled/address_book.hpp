#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "daemon/mscaled/slurm_nodes.hpp"
#include "daemon/mscaled/worker.hpp"

namespace mscale::daemon {

/// Addresses of hosts, resolved when they are first needed and again when they are old, each by one question at a
/// time.  Only hosts that are called are ever asked for, and what was known serves while the name service is slow.
class AddressBook {
public:
    using Resolve = std::function<Result<NodeAddress>(const std::string& host, unsigned port)>;
    using Located = std::function<void(const Result<NodeAddress>&)>;

    /// `resolver` is the thread that waits for the name service.
    AddressBook(Worker& resolver, unsigned port, Resolve resolve = resolve_host)
        : resolver_(resolver), port_(port), resolve_(std::move(resolve))
    {
    }

    /// Calls `located` once: at once when the address is known, else when the name service has answered.
    void locate(const std::string& host, Located located);

private:
    using Clock = std::chrono::steady_clock;
    struct Entry {
        NodeAddress address; // length 0: not known
        Clock::time_point resolved;
        bool busy = false;
        std::vector<Located> waiting;
    };
    void ask(const std::string& host, Entry& entry);
    void take(const std::string& host, const Result<NodeAddress>& address);

    Worker& resolver_;
    unsigned port_;
    Resolve resolve_;
    std::map<std::string, Entry> entries_;
};

} // namespace mscale::daemon
