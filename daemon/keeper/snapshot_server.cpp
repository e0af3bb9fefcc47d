#include "daemon/keeper/snapshot_server.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/coding/held_piece.hpp"
#include "daemon/mscaled/listener.hpp"

namespace mscale::daemon {

namespace {

/// What a slot of a held segment holds, with its manifest; snapshot_damaged when it isn't the one of this run any more.
Result<recovery::SealedSlot> read_held(const HeldSegment& segment, unsigned slot,
                                       const recovery::Owner& wanted)
{
    auto read = recovery::read_slot(segment.memory.view(), slot, wanted);
    if (!read) return tl::unexpected(std::move(read.error()));
    if (!*read || (*read)->header.owner.incarnation != wanted.incarnation)
        return failure(Code::snapshot_damaged,
                       format("rank {}: the slot holds another snapshot than it should", wanted.rank));
    return std::move(**read);
}

} // namespace

SnapshotServer::SnapshotServer(Fd socket, SegmentStore& store, recovery::Introduction introduction,
                               Admit admit, std::chrono::milliseconds stall_limit)
    : socket_(std::move(socket)), store_(store), introduction_(std::move(introduction)),
      admit_(std::move(admit)), stall_limit_(stall_limit),
      hall_(Seats(most_strangers, most_strangers_of_address), Seats(most_streams, most_streams_of_address)),
      acceptor_([this] { accept_streams(); })
{
}

SnapshotServer::~SnapshotServer()
{
    shutdown(socket_.number(), SHUT_RDWR);
    acceptor_.join();
    const std::scoped_lock lock(mutex_);
    for (Stream& stream : streams_)
        if (!stream.ended) shutdown(stream.socket, SHUT_RDWR);
    for (Stream& stream : streams_) stream.thread.join();
}

void SnapshotServer::accept_streams()
{
    fcntl(socket_.number(), F_SETFL,
          fcntl(socket_.number(), F_GETFL) & ~O_NONBLOCK); // this thread has nothing else to do
    for (;;) {
        Fd accepted(accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!accepted && (errno == EINTR || errno == ECONNABORTED)) continue;
        if (!accepted && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            continue;
        }
        if (!accepted) return; // shut down
        join_ended();
        Seat seat = hall_.take(identify_peer(accepted.number()));
        if (!seat) continue;
        const std::scoped_lock lock(mutex_);
        Stream& stream = streams_.emplace_back();
        stream.socket = accepted.number();
        stream.seat = std::move(seat);
        stream.thread = std::thread(
            [this, &stream, socket = std::move(accepted)]() mutable { serve(std::move(socket), stream); });
    }
}

void SnapshotServer::join_ended()
{
    const std::scoped_lock lock(mutex_);
    std::erase_if(streams_, [](Stream& stream) {
        if (!stream.ended) return false;
        stream.thread.join();
        return true;
    });
}

void SnapshotServer::serve(Fd socket, Stream& stream)
{
    auto frames = recovery::FrameStream::accept(std::move(socket), introduction_, stall_limit_);
    Result<void> served;
    if (!frames) served = tl::unexpected(std::move(frames.error()));
    while (served && frames) {
        const auto frame = frames->receive();
        if (!frame) break; // the other keeper has what it wanted, or is gone
        served = answer(*frames, *frame);
    }
    if (!served) log_error("a stream of another keeper", served.error());
    stream.ended = true;
}

Result<void> SnapshotServer::answer(recovery::FrameStream& frames, const recovery::Frame& frame)
{
    switch (frame.header.type) {
    case recovery::FrameType::put: return take_copy(frames, frame);
    case recovery::FrameType::fetch: return hand_out(frames, frame);
    case recovery::FrameType::verbs: return recovery::offer_verbs(frames, frame, stall_limit_);
    default: return failure(Code::bad_frame, "a keeper asks for what a stream doesn't do");
    }
}

Result<void> SnapshotServer::take_copy(recovery::FrameStream& frames, const recovery::Frame& frame)
{
    std::shared_ptr<HeldSegment> held;
    unsigned slot = 0;
    const auto provide = [&](const recovery::Announcement& announced) -> Result<recovery::Destination> {
        if (auto admitted = admit_(announced); !admitted) return tl::unexpected(std::move(admitted.error()));
        auto segment = store_.provide(announced.owner, announced.capacity, SegmentStore::Kind::copy);
        if (!segment) return tl::unexpected(std::move(segment.error()));
        const auto begun = SegmentStore::begin_copy(**segment, announced.epoch, announced.committed);
        if (!begun) return tl::unexpected(begun.error());
        held = std::move(*segment);
        slot = *begun;
        return recovery::Destination{held->memory.view(), slot};
    };
    const auto received = recovery::receive_snapshot(frames, frame, provide);
    if (held) SegmentStore::end_copy(*held, slot, received ? std::optional(*received) : std::nullopt);
    return received ? Result<void>() : tl::unexpected(received.error());
}

Result<void> SnapshotServer::hand_out_piece(recovery::FrameStream& frames, const recovery::Frame& frame)
{
    const auto request = recovery::read_piece_request(frame.header, frame.payload);
    if (!request) return tl::unexpected(request.error());
    const auto piece = read_held_piece(store_, *request);
    if (!piece) return recovery::send_error(frames, piece.error());
    return recovery::send_piece(frames, *request, *piece);
}

Result<void> SnapshotServer::hand_out(recovery::FrameStream& frames, const recovery::Frame& frame)
{
    if (recovery::asks_for_piece(frame.header)) return hand_out_piece(frames, frame);
    const recovery::Owner& wanted = frame.header.owner;
    for (const auto kind : {SegmentStore::Kind::own, SegmentStore::Kind::copy}) {
        const auto held = store_.find(wanted, kind);
        if (!held) continue;
        std::unique_lock lock(held->mutex);
        const auto slot = SegmentStore::find_slot(*held, frame.header.epoch);
        lock.unlock();
        if (!slot) continue;
        const auto sealed = read_held(*held, *slot, wanted);
        if (!sealed) return recovery::send_error(frames, sealed.error());
        const auto layout = held->memory.view().layout();
        return recovery::send_snapshot(frames, *sealed, held->memory.view().data(*slot), layout.data_bytes);
    }
    return recovery::send_error(
        frames, failure(Code::no_snapshot, format("epoch {} of job {} rank {} isn't held here",
                                                  frame.header.epoch, wanted.job_id, wanted.rank))
                    .value());
}

} // namespace mscale::daemon
