#include "tests/unit/transport/ends.hpp"

#include <thread>

#include <arpa/inet.h>

#include "recovery/bytes.hpp"

namespace mscale::recovery {

Port::Port()
{
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    ck_assert_int_eq(bind(socket.number(), reinterpret_cast<sockaddr*>(&address), length), 0);
    ck_assert_int_eq(listen(socket.number(), 4), 0);
    ck_assert_int_eq(getsockname(socket.number(), reinterpret_cast<sockaddr*>(&address), &length), 0);
}

Result<FrameStream> Port::accept(const Introduction& introduction,
                                 std::chrono::milliseconds stall_limit) const
{
    return FrameStream::accept(Fd(::accept(socket.number(), nullptr, nullptr)), introduction, stall_limit);
}

Result<FrameStream> Port::connect(std::chrono::milliseconds stall_limit) const
{
    return FrameStream::connect(reinterpret_cast<const sockaddr*>(&address), sizeof address, trusting(),
                                way().limit, stall_limit);
}

Way& way()
{
    static Way chosen;
    return chosen;
}

Introduction trusting()
{
    return {[](std::string_view secret) -> Result<std::string> { return std::string(secret); },
            [](const std::string& credential) -> Result<std::string> { return credential; }};
}

void agree_as_acceptor(FrameStream& stream)
{
    if (!way().verbs) return;
    const auto request = stream.receive();
    ck_assert(request.has_value() && request->header.type == FrameType::verbs);
    const auto offered = offer_verbs(stream, *request, way().limit);
    ck_assert_msg(offered.has_value(), "%s", offered ? "" : offered.error().text.c_str());
    ck_assert(stream.path().is_rdma());
}

void agree_as_initiator(FrameStream& stream, const VerbsTerms& terms)
{
    if (!way().verbs) return;
    const auto used = use_verbs(stream, terms, way().limit);
    ck_assert_msg(used.has_value(), "%s", used ? "" : used.error().text.c_str());
    ck_assert(stream.path().is_rdma());
}

void converse_by_frames(const Use& serve, const Use& use, std::chrono::milliseconds stall_limit)
{
    const Port port;
    std::thread server([&] {
        auto stream = port.accept(trusting(), stall_limit);
        ck_assert(stream.has_value());
        serve(*stream);
    });
    {
        auto stream = port.connect(stall_limit);
        ck_assert(stream.has_value());
        use(*stream);
    }
    server.join();
}

void converse(const Use& serve, const Use& use, std::chrono::milliseconds stall_limit,
              const VerbsTerms& terms)
{
    const auto served = [&](FrameStream& stream) {
        agree_as_acceptor(stream);
        serve(stream);
    };
    const auto used = [&](FrameStream& stream) {
        agree_as_initiator(stream, terms);
        use(stream);
    };
    converse_by_frames(served, used, stall_limit);
}

std::string announce(FrameStream& stream, std::uint64_t epoch, std::uint64_t bytes)
{
    FrameHeader header;
    header.type = FrameType::put;
    header.flags = 1;
    header.owner = sample_owner;
    header.epoch = epoch;
    ByteWriter announcement;
    for (const std::uint64_t number : {epoch * 10, bytes, bytes}) announcement.put(number);
    ck_assert(stream.send(header, announcement.bytes()).has_value());
    const auto ready = stream.receive();
    ck_assert(ready.has_value());
    return ready->payload;
}

SealedSlot read(const SegmentView& view, unsigned slot)
{
    return **read_slot(view, slot, sample_owner);
}

bool is_whole(const SegmentView& view, unsigned slot, std::uint64_t epoch)
{
    const auto sealed = read_slot(view, slot, sample_owner);
    if (!sealed || !*sealed || (*sealed)->header.epoch != epoch) return false;
    const auto data = view.data(slot).first((*sealed)->header.data_bytes);
    for (std::size_t i = 0; i < data.size(); i += 4093)
        if (data[i] != static_cast<std::byte>(i * 31 + epoch)) return false;
    return verify_data(view.data(slot), (*sealed)->manifest).has_value();
}

Result<SlotHeader> receive_into_slot(FrameStream& stream, const SegmentView& view, unsigned slot)
{
    const auto begin = stream.receive();
    if (!begin) return tl::unexpected(begin.error());
    return receive_snapshot(stream, *begin, [&](const Announcement&) {
        return Result<Destination>(Destination{view, slot});
    });
}

} // namespace mscale::recovery
