#include <thread>
#include <vector>

#include "tests/unit/transport/ends.hpp"
#include "tests/unit/transport/suites.hpp"

using namespace mscale;
using namespace mscale::recovery;

namespace {

void send(FrameStream& stream, const daemon::SegmentMemory& from, unsigned slot)
{
    const SegmentView view = from.view();
    const auto sent = send_snapshot(stream, read(view, slot), view.data(slot), view.layout().data_bytes);
    ck_assert_msg(sent.has_value(), "%s", sent ? "" : sent.error().text.c_str());
}

/// Sends a snapshot of `bytes` to another memory and looks at it there.
void carry(std::uint64_t bytes, std::uint64_t epoch)
{
    const auto from = make_segment(bytes), to = make_segment(bytes);
    save_pattern(from.view(), 0, epoch, bytes);
    converse([&](FrameStream& stream) { ck_assert(receive_into_slot(stream, to.view(), 1).has_value()); },
             [&](FrameStream& stream) { send(stream, from, 0); });
    ck_assert(is_whole(to.view(), 1, epoch));
    ck_assert(read(to.view(), 1).header == read(from.view(), 0).header);
}

} // namespace

START_TEST(a_snapshot_arrives_as_it_was_saved)
{
    carry(sample_bytes - 100, 5);
}
END_TEST

START_TEST(a_snapshot_of_64_mib_arrives_whole)
{
    carry(64 << 20, 6);
}
END_TEST

START_TEST(the_newest_committed_epoch_goes_with_a_snapshot)
{
    const auto from = make_segment(sample_bytes), to = make_segment(sample_bytes);
    save_pattern(from.view(), 0, 5, sample_bytes);
    std::uint64_t told = 0;
    const auto provide = [&](const Announcement& announced) {
        told = announced.committed;
        return Result<Destination>(Destination{to.view(), 1});
    };
    converse([&](FrameStream& stream) { ck_assert(receive_snapshot(stream, *stream.receive(), provide).has_value()); },
             [&](FrameStream& stream) {
                 const SegmentView view = from.view();
                 ck_assert(send_snapshot(stream, read(view, 0), view.data(0), view.layout().data_bytes, 4).has_value());
             });
    ck_assert_uint_eq(told, 4);
}
END_TEST

START_TEST(one_connection_carries_many_snapshots_both_ways)
{
    const auto here = make_segment(sample_bytes), there = make_segment(sample_bytes);
    const auto provide = [&](const Announcement&) {
        return Result<Destination>(Destination{here.view(), 1});
    };
    converse(
        [&](FrameStream& stream) {
            for (unsigned i = 0; i < 2; ++i)
                ck_assert(receive_into_slot(stream, there.view(), i).has_value());
            ck_assert(stream.receive()->header.type == FrameType::fetch);
            send(stream, there, 0);
        },
        [&](FrameStream& stream) {
            for (unsigned i = 0; i < 2; ++i) {
                save_pattern(here.view(), i, 10 + i, sample_bytes);
                send(stream, here, i);
            }
            ck_assert(fetch_snapshot(stream, sample_owner, 10, provide).has_value());
        });
    ck_assert(is_whole(there.view(), 0, 10) && is_whole(there.view(), 1, 11));
    ck_assert(is_whole(here.view(), 1, 10));
}
END_TEST

START_TEST(connections_at_the_same_time_keep_their_snapshots_apart)
{
    std::vector<std::thread> pairs;
    for (std::uint64_t i = 1; i <= 4; ++i) pairs.emplace_back([i] { carry(sample_bytes + i, i); });
    for (std::thread& pair : pairs) pair.join();
}
END_TEST

START_TEST(a_receiver_may_take_longer_to_make_room_than_a_stream_may_stall)
{
    const auto from = make_segment(sample_bytes), to = make_segment(sample_bytes);
    save_pattern(from.view(), 0, 5, sample_bytes);
    converse(
        [&](FrameStream& stream) {
            const auto begin = stream.receive();
            const auto received = receive_snapshot(stream, *begin, [&](const Announcement&) {
                std::this_thread::sleep_for(2 * way().stall);
                return Result<Destination>(Destination{to.view(), 1});
            });
            ck_assert(received.has_value());
        },
        [&](FrameStream& stream) { send(stream, from, 0); }, way().stall);
    ck_assert(is_whole(to.view(), 1, 5));
}
END_TEST

Suite* transfers_suite()
{
    return make_suite("transfers", a_snapshot_arrives_as_it_was_saved, a_snapshot_of_64_mib_arrives_whole,
                      the_newest_committed_epoch_goes_with_a_snapshot,
                      one_connection_carries_many_snapshots_both_ways,
                      connections_at_the_same_time_keep_their_snapshots_apart,
                      a_receiver_may_take_longer_to_make_room_than_a_stream_may_stall);
}
