#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

#include "base/error.hpp"
#include "submit/helper_thread.hpp"

namespace mscale::submit {

/// Makes credentials of this process's user, and never waits longer than `deadline` for munged: slurmctld stands still.
///  The nodes believe one after it has expired or was seen before, too: a job
/// waits for days (DESIGN §1).  So one payload (a user and his contract) needs one credential, which is kept for a minute.
/// Safe for several threads; bounded, and long payloads are not kept.
class Sealer {
public:
    explicit Sealer(std::chrono::milliseconds deadline = std::chrono::seconds(1)) : deadline_(deadline) {}

    /// `payload` as a munge credential with the longest life that munged grants.  `socket`: "" is munge's own default.
    Result<std::string> seal(const std::string& payload, const std::string& socket);

private:
    struct Kept {
        std::chrono::steady_clock::time_point made;
        std::string credential;
    };
    static constexpr std::chrono::minutes keep_time{1};
    static constexpr std::size_t most_entries = 256;
    static constexpr std::size_t longest_payload = 4 << 10;

    Result<std::string> make(const std::string& payload, const std::string& socket);
    std::string find(const std::string& key);
    void keep(const std::string& key, const std::string& credential);

    const std::chrono::milliseconds deadline_;
    TimedCall call_;
    std::mutex mutex_;
    std::map<std::string, Kept> kept_;
};

} // namespace mscale::submit
