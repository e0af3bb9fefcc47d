#pragma once

#include <map>
#include <string>

#include "daemon/coding/held_piece.hpp"
#include "daemon/keeper/keepers.hpp"
#include "recovery/frame_stream.hpp"
#include "recovery/timing.hpp"

namespace mscale::daemon {

/// Reads pieces from any node: this one's out of its memory, others' over connections of its own, in frames.  Each call may
/// block; for one thread.
class PieceStreams {
public:
    PieceStreams(const SegmentStore& store, recovery::Introduction introduction, const recovery::Timing& timing)
        : store_(store), introduction_(std::move(introduction)), timing_(timing)
    {
    }

    /// `keeper` is null for this node.  `place` is as long as the piece.
    Result<void> read(const KeeperAddress* keeper, const recovery::PieceRequest& request, std::span<std::byte> place);

private:
    Result<void> read_held(const recovery::PieceRequest& request, std::span<std::byte> place) const;
    Result<void> fetch(const KeeperAddress& keeper, const recovery::PieceRequest& request, std::span<std::byte> place);

    const SegmentStore& store_;
    recovery::Introduction introduction_;
    recovery::Timing timing_;
    std::map<std::string, recovery::FrameStream> streams_; // by node
};

} // namespace mscale::daemon
