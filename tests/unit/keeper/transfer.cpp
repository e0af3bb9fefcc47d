#include "recovery/transfer.hpp"

#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>

#include "tests/unit/keeper/snapshots.hpp"
#include "tests/unit/keeper/suites.hpp"

using namespace mscale;
using namespace mscale::recovery;

namespace {

constexpr std::chrono::milliseconds limit{2000};
constexpr std::uint64_t state = 9 << 20; // two whole chunks and a part

/// A listening socket on the loopback, and its address.
struct Port {
    Fd socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    Port()
    {
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        ck_assert_int_eq(bind(socket.number(), reinterpret_cast<sockaddr*>(&address), length), 0);
        ck_assert_int_eq(listen(socket.number(), 4), 0);
        ck_assert_int_eq(getsockname(socket.number(), reinterpret_cast<sockaddr*>(&address), &length), 0);
    }
    Fd accept() const { return Fd(::accept(socket.number(), nullptr, nullptr)); }
};

/// Credentials that are the secret itself behind a prefix, as a munge that trusts everybody.
const Introduction trusting{
    [](std::string_view secret) -> Result<std::string> { return "sealed:" + std::string(secret); },
    [](const std::string& credential) -> Result<std::string> { return credential.substr(7); }};

/// Runs `serve` on the accepting side while `use` runs on the connecting one.
void converse(const std::function<void(FrameStream&)>& serve, const std::function<void(FrameStream&)>& use)
{
    const Port port;
    std::thread server([&] {
        auto stream = FrameStream::accept(port.accept(), trusting, limit);
        ck_assert(stream.has_value());
        serve(*stream);
    });
    auto stream = FrameStream::connect(reinterpret_cast<const sockaddr*>(&port.address), sizeof port.address,
                                       trusting, limit, limit);
    ck_assert(stream.has_value());
    use(*stream);
    server.join();
}

SealedSlot read(const SegmentView& view, unsigned slot)
{
    return **read_slot(view, slot, sample_owner);
}

void receive_one(FrameStream& stream, const SegmentView& into, Result<SlotHeader>& received)
{
    const auto begin = stream.receive();
    ck_assert(begin.has_value());
    received = receive_snapshot(stream, *begin, [&](const Announcement&) {
        return Result<Destination>(Destination{into, 1});
    });
}

} // namespace

START_TEST(a_snapshot_that_was_sent_is_the_same_on_the_other_side)
{
    const auto from = make_segment(state), to = make_segment(state);
    save_pattern(from.view(), 0, 5, state - 100);
    Result<SlotHeader> received;
    converse([&](FrameStream& stream) { receive_one(stream, to.view(), received); },
             [&](FrameStream& stream) {
                 ck_assert(
                     send_snapshot(stream, read(from.view(), 0), from.view().data(0), state).has_value());
             });
    ck_assert(received.has_value() && received->epoch == 5 && received->owner == sample_owner);
    const SealedSlot copy = read(to.view(), 1);
    ck_assert(copy.header == read(from.view(), 0).header);
    ck_assert(verify_data(to.view().data(1), copy.manifest).has_value());
}
END_TEST

START_TEST(data_that_changed_after_the_save_are_refused_by_who_receives_them)
{
    const auto from = make_segment(state), to = make_segment(state);
    save_pattern(from.view(), 0, 5, state);
    const SealedSlot sealed = read(from.view(), 0);
    from.view().data(0)[6 << 20] ^= std::byte{1};
    Result<SlotHeader> received;
    converse([&](FrameStream& stream) { receive_one(stream, to.view(), received); },
             [&](FrameStream& stream) {
                 const auto sent = send_snapshot(stream, sealed, from.view().data(0), state);
                 ck_assert(!sent && sent.error().code == Code::snapshot_damaged);
             });
    ck_assert(!received && received.error().code == Code::snapshot_damaged);
    ck_assert(!read_slot(to.view(), 1, sample_owner).value());
}
END_TEST

START_TEST(a_receiver_without_room_says_so_before_anything_is_sent)
{
    const auto from = make_segment(state);
    save_pattern(from.view(), 0, 5, state);
    converse(
        [&](FrameStream& stream) {
            const auto begin = stream.receive();
            std::ignore = receive_snapshot(stream, *begin, [](const Announcement&) -> Result<Destination> {
                return failure(Code::snapshot_room, "no room");
            });
        },
        [&](FrameStream& stream) {
            const auto sent = send_snapshot(stream, read(from.view(), 0), from.view().data(0), state);
            ck_assert(!sent && sent.error().code == Code::snapshot_room);
        });
}
END_TEST

START_TEST(a_fetch_gives_what_was_asked_for_and_nothing_else)
{
    const auto from = make_segment(state), to = make_segment(state);
    save_pattern(from.view(), 0, 5, state);
    const auto provide = [&](const Announcement&) { return Result<Destination>(Destination{to.view(), 0}); };
    converse(
        [&](FrameStream& stream) {
            for (int i = 0; i < 2; ++i) {
                ck_assert(stream.receive()->header.type == FrameType::fetch);
                std::ignore = send_snapshot(stream, read(from.view(), 0), from.view().data(0), state);
            }
        },
        [&](FrameStream& stream) {
            ck_assert(fetch_snapshot(stream, sample_owner, 5, provide).value().epoch == 5);
            const auto other = fetch_snapshot(stream, sample_owner, 6, provide);
            ck_assert(!other && other.error().code == Code::snapshot_foreign);
        });
}
END_TEST

START_TEST(a_sender_that_dies_in_the_middle_leaves_no_snapshot)
{
    const auto from = make_segment(state), to = make_segment(state);
    save_pattern(from.view(), 0, 5, state);
    save_pattern(to.view(), 1, 3, state);
    Result<SlotHeader> received;
    converse([&](FrameStream& stream) { receive_one(stream, to.view(), received); },
             [&](FrameStream& stream) {
                 FrameHeader header;
                 header.type = FrameType::put;
                 header.flags = 1;
                 header.owner = sample_owner;
                 header.epoch = 5;
                 std::string announcement(24, '\0');
                 const std::uint64_t numbers[] = {50, state, state};
                 std::memcpy(announcement.data(), numbers, sizeof numbers);
                 ck_assert(stream.send(header, announcement).has_value());
                 ck_assert(stream.receive().has_value());
                 FrameStream gone = std::move(stream); // closes
             });
    ck_assert(!received && received.error().code == Code::peer);
    ck_assert(!read_slot(to.view(), 1, sample_owner).value());
}
END_TEST

START_TEST(who_cannot_open_the_credential_is_not_spoken_to)
{
    const Port port;
    const Introduction closed{trusting.seal, [](const std::string&) -> Result<std::string> {
                                  return failure(Code::credential, "not for you");
                              }};
    std::thread server([&] { ck_assert(!FrameStream::accept(port.accept(), closed, limit)); });
    ck_assert(!FrameStream::connect(reinterpret_cast<const sockaddr*>(&port.address), sizeof port.address,
                                    trusting, limit, limit));
    server.join();
}
END_TEST

START_TEST(who_has_another_key_is_not_understood)
{
    const Port port;
    const Introduction other{trusting.seal,
                             [](const std::string&) -> Result<std::string> { return std::string(32, 'x'); }};
    std::thread server([&] {
        const auto stream = FrameStream::accept(port.accept(), other, limit);
        ck_assert(!stream && stream.error().code == Code::bad_frame);
    });
    ck_assert(!FrameStream::connect(reinterpret_cast<const sockaddr*>(&port.address), sizeof port.address,
                                    trusting, limit, limit));
    server.join();
}
END_TEST

Suite* transfer_suite()
{
    return make_suite("transfer", a_snapshot_that_was_sent_is_the_same_on_the_other_side,
                      data_that_changed_after_the_save_are_refused_by_who_receives_them,
                      a_receiver_without_room_says_so_before_anything_is_sent,
                      a_fetch_gives_what_was_asked_for_and_nothing_else,
                      a_sender_that_dies_in_the_middle_leaves_no_snapshot,
                      who_cannot_open_the_credential_is_not_spoken_to, who_has_another_key_is_not_understood);
}
