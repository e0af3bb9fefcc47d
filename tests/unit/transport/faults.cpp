#include <csignal>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/transport/ends.hpp"
#include "tests/unit/transport/suites.hpp"

using namespace mscale;
using namespace mscale::recovery;

namespace {

Result<void> send(FrameStream& stream, const daemon::SegmentMemory& from, const SealedSlot& sealed)
{
    return send_snapshot(stream, sealed, from.view().data(0), from.view().layout().data_bytes);
}

} // namespace

START_TEST(a_sender_that_dies_in_the_middle_leaves_no_snapshot)
{
    const auto from = make_segment(sample_bytes), to = make_segment(sample_bytes);
    save_pattern(from.view(), 0, 5, sample_bytes);
    save_pattern(to.view(), 1, 3, sample_bytes);
    Result<SlotHeader> received;
    converse([&](FrameStream& stream) { received = receive_into_slot(stream, to.view(), 1); },
             [&](FrameStream& stream) {
                 const std::string opened = announce(stream, 5, sample_bytes);
                 const auto half = from.view().data(0).first(chunk_bytes);
                 const SlotHeader header{sample_owner, 5, 50, 0, sample_bytes};
                 ck_assert(stream.path().send(stream, header, opened, half).has_value());
                 FrameStream gone = std::move(stream); // closes
             });
    ck_assert(!received && received.error().code == Code::peer);
    ck_assert(!read_slot(to.view(), 1, sample_owner).value());
}
END_TEST

START_TEST(a_sender_that_is_killed_is_noticed_at_once_and_leaves_no_snapshot)
{
    const auto to = make_segment(sample_bytes);
    const Port port;
    const pid_t sender = fork();
    if (sender == 0) {
        const auto from = make_segment(sample_bytes);
        auto stream = port.connect(way().limit);
        agree_as_initiator(*stream);
        const std::string opened = announce(*stream, 5, sample_bytes);
        const SlotHeader header{sample_owner, 5, 50, 0, sample_bytes};
        std::ignore = stream->path().send(*stream, header, opened, from.view().data(0).first(chunk_bytes));
        kill(getpid(), SIGKILL);
    }
    auto stream = port.accept(trusting(), std::chrono::minutes(1));
    ck_assert(stream.has_value());
    agree_as_acceptor(*stream);
    const auto began = std::chrono::steady_clock::now();
    const auto received = receive_into_slot(*stream, to.view(), 1);
    ck_assert(!received && received.error().code == Code::peer);
    ck_assert(std::chrono::steady_clock::now() - began < way().limit);
    ck_assert(!read_slot(to.view(), 1, sample_owner).value());
    ck_assert_int_eq(waitpid(sender, nullptr, 0), sender);
}
END_TEST

START_TEST(a_receiver_that_dies_is_told_to_the_sender)
{
    const auto from = make_segment(sample_bytes);
    save_pattern(from.view(), 0, 5, sample_bytes);
    converse([&](FrameStream& stream) { ck_assert(stream.receive().has_value()); }, // then it closes
             [&](FrameStream& stream) {
                 const auto sent = send(stream, from, read(from.view(), 0));
                 ck_assert(!sent && sent.error().code == Code::peer);
             });
}
END_TEST

START_TEST(a_sender_that_stalls_is_given_up)
{
    const auto to = make_segment(sample_bytes);
    Result<SlotHeader> received;
    converse([&](FrameStream& stream) { received = receive_into_slot(stream, to.view(), 1); },
             [&](FrameStream& stream) {
                 announce(stream, 5, sample_bytes);
                 std::this_thread::sleep_for(2 * way().stall);
             },
             way().stall);
    ck_assert(!received && received.error().code == Code::peer);
    ck_assert(received.error().text.find("imed out") != std::string::npos);
}
END_TEST

START_TEST(a_receiver_that_stalls_is_given_up)
{
    const auto from = make_segment(sample_bytes), to = make_segment(sample_bytes);
    save_pattern(from.view(), 0, 5, sample_bytes);
    converse(
        [&](FrameStream& stream) {
            const auto begin = stream.receive();
            const auto opened = stream.path().open(to.view().data(1).first(sample_bytes));
            FrameHeader ready = begin->header;
            ready.type = FrameType::ack;
            ck_assert(stream.send(ready, *opened).has_value());
            std::this_thread::sleep_for(3 * way().stall);
        },
        [&](FrameStream& stream) {
            const auto sent = send(stream, from, read(from.view(), 0));
            ck_assert(!sent && sent.error().code == Code::peer);
        },
        way().stall);
}
END_TEST

START_TEST(data_past_the_end_of_a_slot_are_refused_and_the_other_slot_stays)
{
    const auto from = make_segment(sample_bytes + chunk_bytes), to = make_segment(sample_bytes);
    save_pattern(from.view(), 0, 5, sample_bytes + chunk_bytes);
    save_pattern(to.view(), 1, 3, sample_bytes);
    Result<SlotHeader> received;
    converse([&](FrameStream& stream) { received = receive_into_slot(stream, to.view(), 0); },
             [&](FrameStream& stream) {
                 const std::string opened = announce(stream, 5, sample_bytes);
                 const SlotHeader header{sample_owner, 5, 50, 0, sample_bytes};
                 std::ignore = stream.path().send(stream, header, opened, from.view().data(0));
                 FrameHeader seal;
                 seal.type = FrameType::seal;
                 seal.owner = sample_owner;
                 seal.epoch = 5;
                 std::ignore = stream.send(seal, read(from.view(), 0).encoded_manifest);
                 std::ignore = stream.receive();
             });
    ck_assert(!received);
    ck_assert(is_whole(to.view(), 1, 3));
    ck_assert(!read_slot(to.view(), 0, sample_owner).value());
}
END_TEST

START_TEST(data_that_changed_after_the_save_are_refused_by_who_receives_them)
{
    const auto from = make_segment(sample_bytes), to = make_segment(sample_bytes);
    save_pattern(from.view(), 0, 5, sample_bytes);
    const SealedSlot sealed = read(from.view(), 0);
    from.view().data(0)[6 << 20] ^= std::byte{1};
    Result<SlotHeader> received;
    converse([&](FrameStream& stream) { received = receive_into_slot(stream, to.view(), 1); },
             [&](FrameStream& stream) {
                 const auto sent = send(stream, from, sealed);
                 ck_assert(!sent && sent.error().code == Code::snapshot_damaged);
             });
    ck_assert(!received && received.error().code == Code::snapshot_damaged);
    ck_assert(!read_slot(to.view(), 1, sample_owner).value());
}
END_TEST

START_TEST(a_receiver_without_room_says_so_and_takes_the_next_one)
{
    const auto from = make_segment(sample_bytes), to = make_segment(sample_bytes);
    save_pattern(from.view(), 0, 5, sample_bytes);
    converse(
        [&](FrameStream& stream) {
            const auto begin = stream.receive();
            std::ignore = receive_snapshot(stream, *begin, [](const Announcement&) -> Result<Destination> {
                return failure(Code::snapshot_room, "no room");
            });
            ck_assert(receive_into_slot(stream, to.view(), 1).has_value());
        },
        [&](FrameStream& stream) {
            const auto sent = send(stream, from, read(from.view(), 0));
            ck_assert(!sent && sent.error().code == Code::snapshot_room);
            ck_assert(send(stream, from, read(from.view(), 0)).has_value());
        });
    ck_assert(is_whole(to.view(), 1, 5));
}
END_TEST

START_TEST(who_has_another_key_is_not_understood_and_offered_nothing)
{
    const Port port;
    const Introduction other{trusting().seal,
                             [](const std::string&) -> Result<std::string> { return std::string(32, 'x'); }};
    std::thread server([&] {
        const auto stream = port.accept(other, way().limit);
        ck_assert(!stream && stream.error().code == Code::bad_frame);
    });
    ck_assert(!port.connect(way().limit));
    server.join();
}
END_TEST

START_TEST(who_cannot_open_the_credential_is_not_spoken_to)
{
    const Port port;
    const Introduction closed{trusting().seal, [](const std::string&) -> Result<std::string> {
                                  return failure(Code::credential, "not for you");
                              }};
    std::thread server([&] { ck_assert(!port.accept(closed, way().limit)); });
    ck_assert(!port.connect(way().limit));
    server.join();
}
END_TEST

START_TEST(another_snapshot_than_the_one_asked_for_is_refused)
{
    const auto from = make_segment(sample_bytes), to = make_segment(sample_bytes);
    save_pattern(from.view(), 0, 5, sample_bytes);
    const auto provide = [&](const Announcement&) { return Result<Destination>(Destination{to.view(), 0}); };
    converse(
        [&](FrameStream& stream) {
            ck_assert(stream.receive()->header.type == FrameType::fetch);
            std::ignore = send(stream, from, read(from.view(), 0));
        },
        [&](FrameStream& stream) {
            const auto other = fetch_snapshot(stream, sample_owner, 6, provide);
            ck_assert(!other && other.error().code == Code::snapshot_foreign);
        });
}
END_TEST

Suite* faults_suite()
{
    return make_suite(
        "faults", a_sender_that_dies_in_the_middle_leaves_no_snapshot,
        a_sender_that_is_killed_is_noticed_at_once_and_leaves_no_snapshot,
        a_receiver_that_dies_is_told_to_the_sender, a_sender_that_stalls_is_given_up,
        a_receiver_that_stalls_is_given_up, data_past_the_end_of_a_slot_are_refused_and_the_other_slot_stays,
        data_that_changed_after_the_save_are_refused_by_who_receives_them,
        a_receiver_without_room_says_so_and_takes_the_next_one,
        who_has_another_key_is_not_understood_and_offered_nothing,
        who_cannot_open_the_credential_is_not_spoken_to, another_snapshot_than_the_one_asked_for_is_refused);
}
