#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include <netinet/in.h>

#include "recovery/transfer.hpp"
#include "recovery/verbs/verbs.hpp"
#include "tests/unit/keeper/snapshots.hpp"

namespace mscale::recovery {

/// The way that the data take in all tests of this run of the program: in frames over TCP, or by RDMA.
struct Way {
    bool verbs = false;
    std::chrono::milliseconds limit{2000}; ///< of a connection, and of a stall where none is meant
    std::chrono::milliseconds stall{500};  ///< of a stall that is meant
};
Way& way();

constexpr std::uint64_t sample_bytes = 9 << 20; ///< two whole chunks and a part

/// A listening socket on the loopback, and who connects to it.
struct Port {
    Port();
    Result<FrameStream> accept(const Introduction& introduction, std::chrono::milliseconds stall_limit) const;
    Result<FrameStream> connect(std::chrono::milliseconds stall_limit) const;

    Fd socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
};

using Use = std::function<void(FrameStream&)>;

/// What each end says first, so that the data go the way of this run.
void agree_as_acceptor(FrameStream& stream);
void agree_as_initiator(FrameStream& stream, const VerbsTerms& terms = {});

/// Runs `serve` at the end that accepted while `use` runs at the one that connected; the data go the way of this run.
void converse(const Use& serve, const Use& use, std::chrono::milliseconds stall_limit = way().limit,
              const VerbsTerms& terms = {});
/// The same without another way than frames.
void converse_by_frames(const Use& serve, const Use& use, std::chrono::milliseconds stall_limit);

/// Says that `bytes` of epoch `epoch` will come, and returns what the other side opened for them.
std::string announce(FrameStream& stream, std::uint64_t epoch, std::uint64_t bytes);

/// The snapshot in a slot; it must be one.
SealedSlot read(const SegmentView& view, unsigned slot);
/// True when the slot holds a snapshot whose data are those of save_pattern.
bool is_whole(const SegmentView& view, unsigned slot, std::uint64_t epoch);

/// Receives the next snapshot into a slot.
Result<SlotHeader> receive_into_slot(FrameStream& stream, const SegmentView& view, unsigned slot);

/// The introduction of an end that trusts everybody.
Introduction trusting();

} // namespace mscale::recovery
