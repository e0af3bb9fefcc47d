#pragma once

#include <deque>
#include <functional>
#include <string>

#include <sys/types.h>

#include "base/handle.hpp"
#include "base/json.hpp"
#include "library/client.hpp"

namespace mscale::library {

/// The double of the keeper as a process of its own, and what it says.
class KeeperDouble {
public:
    /// With the options of tests/doubles/keeper, as in "--ranks 2 --ops restored".
    explicit KeeperDouble(const std::string& options = "");
    ~KeeperDouble();
    KeeperDouble(const KeeperDouble&) = delete;
    KeeperDouble& operator=(const KeeperDouble&) = delete;

    const std::string& socket() const { return socket_; }
    pid_t pid() const { return pid_; }
    /// Gives a command and waits until it is done; what is said meanwhile is kept for `expect`.
    void command(const std::string& line);
    /// The next event that has this member; others are passed over.  Fails the test when none comes.
    Json expect(const std::string& member);

private:
    std::string read_line();

    std::string directory_, socket_, text_;
    std::deque<Json> events_; // read and not yet expected
    pid_t pid_ = -1;
    Fd to_, from_;
};

/// A rank at the double, with patience that suits tests.
Result<Client> join(const KeeperDouble& keeper, Rank rank = {0, 1}, std::uint64_t state_bytes = 0);
Client join_well(const KeeperDouble& keeper, Rank rank = {0, 1});

/// A save of one extent "state" with `value` in each of its 1,000 bytes; the answer of complete_save, or of start_save.
Result<void> save(Client& client, std::uint64_t step, int value);
/// The value that `save` saved, of the snapshot to go on from.
Result<int> read_back(Client& client);

/// Calls `done` until it is true; fails the test after some seconds.
void wait_until(const std::function<bool()>& done, const char* what);

} // namespace mscale::library
