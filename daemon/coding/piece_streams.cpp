#include "daemon/coding/piece_streams.hpp"

#include <algorithm>

namespace mscale::daemon {

Result<void> PieceStreams::read(const KeeperAddress* keeper, const recovery::PieceRequest& request, std::span<std::byte> place)
{
    return keeper == nullptr ? read_held(request, place) : fetch(*keeper, request, place);
}

Result<void> PieceStreams::read_held(const recovery::PieceRequest& request, std::span<std::byte> place) const
{
    const auto piece = read_held_piece(store_, request);
    if (!piece) return tl::unexpected(piece.error());
    std::ranges::copy(*piece, place.begin());
    return {};
}

Result<void> PieceStreams::fetch(const KeeperAddress& keeper, const recovery::PieceRequest& request, std::span<std::byte> place)
{
    const bool kept = streams_.contains(keeper.node);
    if (!kept) {
        auto stream = recovery::FrameStream::connect(reinterpret_cast<const sockaddr*>(&keeper.address.address),
                                                     keeper.address.length, introduction_, timing_.connect, timing_.fetch_stall);
        if (!stream) return tl::unexpected(std::move(stream.error()));
        streams_.emplace(keeper.node, std::move(*stream));
    }
    auto fetched = recovery::fetch_piece(streams_.at(keeper.node), request, place);
    if (fetched || fetched.error().code == Code::no_snapshot || fetched.error().code == Code::snapshot_damaged)
        return fetched;
    streams_.erase(keeper.node);
    // The other keeper may have started anew since the stream was made.
    return kept && fetched.error().code == Code::peer ? fetch(keeper, request, place) : fetched;
}

} // namespace mscale::daemon
