#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

#include "base/handle.hpp"
#include "daemon/keeper/segment_store.hpp"
#include "daemon/mscaled/seats.hpp"
#include "recovery/frame_stream.hpp"

namespace mscale::daemon {

/// Takes copies of other nodes' snapshots and hands out what is held, to keepers that prove to be root of this cluster.
/// A thread for each stream, so many for each address and for all, those from a port that only root can take apart from the
/// rest, which can't crowd them out; the loop is never waited for.
class SnapshotServer {
public:
    static constexpr unsigned most_streams = 128;           ///< of keepers
    static constexpr unsigned most_streams_of_address = 32; ///< of them
    static constexpr unsigned most_strangers = 16, most_strangers_of_address = 4;

    /// Decides whether a copy may be taken: memory, the job's user, a newer run.  Called from any thread.
    using Admit = std::function<Result<void>(const recovery::Announcement&)>;

    SnapshotServer(Fd socket, SegmentStore& store, recovery::Introduction introduction, Admit admit,
                   std::chrono::milliseconds stall_limit);
    /// Ends every stream, whatever it does.
    ~SnapshotServer();
    SnapshotServer(const SnapshotServer&) = delete;
    SnapshotServer& operator=(const SnapshotServer&) = delete;

private:
    struct Stream {
        int socket = -1;
        std::atomic<bool> ended = false;
        Seat seat;
        std::thread thread;
    };

    void accept_streams();
    void serve(Fd socket, Stream& stream);
    Result<void> answer(recovery::FrameStream& frames, const recovery::Frame& frame);
    Result<void> take_copy(recovery::FrameStream& frames, const recovery::Frame& frame);
    Result<void> hand_out(recovery::FrameStream& frames, const recovery::Frame& frame);
    Result<void> hand_out_piece(recovery::FrameStream& frames, const recovery::Frame& frame);
    void join_ended();

    Fd socket_;
    SegmentStore& store_;
    recovery::Introduction introduction_;
    Admit admit_;
    std::chrono::milliseconds stall_limit_;
    Hall hall_;
    std::mutex mutex_; // guards streams_
    std::list<Stream> streams_;
    std::thread acceptor_;
};

} // namespace mscale::daemon
