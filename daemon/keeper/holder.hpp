#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/handle.hpp"
#include "daemon/holder/record.hpp"

namespace mscale::daemon {

/// This node's mscale-holder, the process that keeps the descriptors of the snapshots' memory and the newest commit records
/// while mscaled is away.  It is started when something is to be held and none answers, and ends when it holds nothing.
/// For any thread; a call waits at most two seconds, and not at all for ten after one that failed.
class Holder {
public:
    struct Held {
        HolderRecord record;
        Fd descriptor; ///< empty for a commit record
    };

    Holder() = default;
    /// `socket` is the holder's, `program` the path of mscale-holder.  An empty program: nothing is held.
    Holder(std::string socket, std::string program)
        : socket_path_(std::move(socket)), program_(std::move(program))
    {
    }

    /// What an earlier mscaled gave it; nothing when no holder runs.  An error when one runs and can't be understood.
    Result<std::vector<Held>> take_all();

    /// Gives it a segment (with its descriptor) or a commit record (-1).  `holder` when it can't be held.
    Result<void> hold(const HolderRecord& record, int descriptor = -1);
    Result<void> forget(std::uint32_t job_id);
    /// Lets go of the segment that the record names.
    Result<void> release(HolderRecord record);

    /// True once after the holder has ended by itself, or couldn't take something: all must be given to it again.
    bool is_incomplete();
    /// The holder's process, 0 when none is connected.
    pid_t pid() const { return pid_; }

private:
    using Clock = std::chrono::steady_clock;

    Result<void> connect();
    Result<void> start() const;
    Result<void> connect_or_start();
    Result<void> exchange(const HolderRecord& record, int descriptor);
    Result<void> let_go(const HolderRecord& record);
    Result<void> attempt(const HolderRecord& record, int descriptor);
    Result<std::vector<Held>> read_all();
    Result<Held> receive() const;
    Result<void> finish(const HolderRecord& answer);
    Result<void> give_up(Result<void> failed);
    bool has_ended() const;

    std::string socket_path_, program_;
    std::atomic<pid_t> pid_ = 0;
    std::mutex mutex_; // guards all below
    Fd socket_;
    bool incomplete_ = false;
    Clock::time_point rest_until_{};
};

} // namespace mscale::daemon
