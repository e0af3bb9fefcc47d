#include "daemon/mscaled/address_book.hpp"

namespace mscale::daemon {

namespace {
constexpr std::chrono::minutes lifetime{1};
}

void AddressBook::locate(const std::string& host, Located located)
{
    Entry& entry = entries_[host];
    const bool known = entry.address.length > 0;
    const bool old = !known || Clock::now() - entry.resolved > lifetime;
    if (!known) entry.waiting.push_back(located);
    if (old && !entry.busy) ask(host, entry);
    if (known) located(entry.address);
}

void AddressBook::ask(const std::string& host, Entry& entry)
{
    entry.busy = true;
    resolver_.run<Result<NodeAddress>>(
        [resolve = resolve_, host, port = port_] { return resolve(host, port); },
        [this, host](const Result<NodeAddress>& address) { take(host, address); });
}

void AddressBook::take(const std::string& host, const Result<NodeAddress>& address)
{
    Entry& entry = entries_[host];
    entry.busy = false;
    entry.resolved = Clock::now();
    if (address) entry.address = *address;
    std::vector<Located> waiting;
    waiting.swap(entry.waiting);
    for (const Located& located : waiting) located(address);
}

} // namespace mscale::daemon
