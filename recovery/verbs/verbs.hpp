#pragma once

#include <chrono>
#include <compare>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "recovery/frame_stream.hpp"

/// Data of snapshots by RDMA WRITE, over rdma_cm and reliable connections.  The map of how two keepers come to it:
///
///   who connects (use_verbs)                        who accepted (offer_verbs)
///   verbs frame: retries and window   ->            listens on a port of its own (Connection)
///                                     <-            verbs frame: a nonce, its RDMA addresses, that port
///   dials, with proof of the nonce    ->            refuses who proves nothing, before any memory or queue is made
///   checks the other's proof          <-            accepts
///   from then on VerbsPath carries the data; frames go on over TCP
///
/// The only memory that the other side can write to is what VerbsPath has opened: the part of a slot that is due.
namespace mscale::recovery {

/// What the contract says of a connection.
struct VerbsTerms {
    std::vector<std::string> ports; ///< this node's, "mlx5_0:1"; empty: any
    unsigned retry_count = 7;       ///< how often the adapter sends again, 0 to 7
    unsigned window = 128;          ///< writes in flight before the other side must answer, at least 1
    auto operator<=>(const VerbsTerms&) const = default;
};

/// Lets the data of `stream`, which this side has connected, go by RDMA.  An error of Code::verbs: they can't, and the stream
/// goes on as it is; any other ends the stream.
Result<void> use_verbs(FrameStream& stream, const VerbsTerms& terms, std::chrono::milliseconds limit);

/// Answers `request`, a frame of type verbs that came over a stream that was accepted.  The stream goes on as it is when the
/// other side doesn't come within `limit`; an error ends it.
Result<void> offer_verbs(FrameStream& stream, const Frame& request, std::chrono::milliseconds limit);

} // namespace mscale::recovery
