#include <cerrno>
#include <cstring>
#include <thread>

#include <sys/mman.h>

#include "recovery/bytes.hpp"
#include "recovery/verbs/connection.hpp"
#include "recovery/verbs/port_address.hpp"
#include "tests/unit/transport/ends.hpp"
#include "tests/unit/transport/suites.hpp"

using namespace mscale;
using namespace mscale::recovery;

namespace {

Deadline soon()
{
    return std::chrono::steady_clock::now() + way().limit;
}

sockaddr_storage own_address(std::uint16_t port = 0)
{
    const auto addresses = list_port_addresses();
    ck_assert(!addresses.empty());
    return read_socket_address(addresses.front().address, port).value();
}

Result<void> send(FrameStream& stream, const daemon::SegmentMemory& from)
{
    return send_snapshot(stream, read(from.view(), 0), from.view().data(0), from.view().layout().data_bytes);
}

/// What was opened, with another key or another address.
std::string forge(const std::string& opened, std::uint32_t key_change, std::uint64_t address_change)
{
    ByteReader reader(opened);
    ByteWriter writer;
    writer.put(reader.get<std::uint64_t>() + address_change);
    writer.put(reader.get<std::uint64_t>());
    writer.put(reader.get<std::uint32_t>() + key_change);
    return writer.bytes();
}

/// A sender that writes elsewhere than it was told to; `spared` must stay as it is.
void write_elsewhere(std::uint32_t key_change, std::uint64_t address_change)
{
    const auto from = make_segment(sample_bytes), to = make_segment(sample_bytes);
    save_pattern(from.view(), 0, 5, sample_bytes);
    save_pattern(to.view(), 1, 3, sample_bytes);
    Result<SlotHeader> received;
    converse([&](FrameStream& stream) { received = receive_into_slot(stream, to.view(), 0); },
             [&](FrameStream& stream) {
                 const std::string opened = forge(announce(stream, 5, sample_bytes), key_change, address_change);
                 const auto sent = stream.path().send(stream, {sample_owner, 5, 50, 0, sample_bytes}, opened,
                                                      from.view().data(0).first(sample_bytes));
                 ck_assert(!sent && sent.error().code == Code::peer);
             });
    ck_assert(!received);
    ck_assert(is_whole(to.view(), 1, 3));
}

/// A segment on huge pages, without a file behind it.
struct HugeSegment {
    explicit HugeSegment(std::uint64_t bytes) : layout(lay_out_segment(bytes, 2 << 20))
    {
        void* mapped = mmap(nullptr, layout.total_bytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
        ck_assert_msg(mapped != MAP_FAILED, "huge pages: %s", std::strerror(errno));
        memory = {static_cast<std::byte*>(mapped), layout.total_bytes};
    }
    SegmentView view() const { return {memory, layout}; }

    SegmentLayout layout;
    std::span<std::byte> memory;
};

} // namespace

START_TEST(the_queue_pair_has_the_retries_and_the_window_of_the_contract)
{
    VerbsTerms terms;
    terms.retry_count = 3;
    terms.window = 16;
    const auto check = [](FrameStream& stream) {
        const std::string described = stream.path().describe();
        ck_assert_str_eq(described.c_str(), "verbs, 3 retries, 16 writes in flight");
        FrameHeader looked;
        looked.type = FrameType::ack;
        ck_assert(stream.send(looked, std::string_view()).has_value());
        ck_assert(stream.receive().has_value()); // neither leaves before the other has looked
    };
    converse(check, check, way().limit, terms);
}
END_TEST

START_TEST(a_window_of_one_write_carries_a_whole_snapshot)
{
    const auto from = make_segment(sample_bytes), to = make_segment(sample_bytes);
    save_pattern(from.view(), 0, 5, sample_bytes);
    VerbsTerms terms;
    terms.window = 1;
    converse([&](FrameStream& stream) { ck_assert(receive_into_slot(stream, to.view(), 0).has_value()); },
             [&](FrameStream& stream) { ck_assert(send(stream, from).has_value()); }, way().limit, terms);
    ck_assert(is_whole(to.view(), 0, 5));
}
END_TEST

START_TEST(only_the_ports_of_the_contract_are_used)
{
    const auto all = list_port_addresses();
    ck_assert(!all.empty());
    ck_assert(list_port_addresses({all.front().port}).front() == all.front());
    ck_assert(list_port_addresses({"mlx5_9:1"}).empty());
    VerbsTerms terms;
    terms.ports = {"mlx5_9:1"};
    converse_by_frames(
        [&](FrameStream& stream) {
            const auto request = stream.receive();
            ck_assert(offer_verbs(stream, *request, way().stall).has_value());
        },
        [&](FrameStream& stream) {
            const auto used = use_verbs(stream, terms, way().limit);
            ck_assert(!used && used.error().code == Code::verbs);
        },
        way().limit);
}
END_TEST

START_TEST(who_asked_and_then_goes_on_without_rdma_is_not_waited_for)
{
    const auto from = make_segment(sample_bytes), to = make_segment(sample_bytes);
    save_pattern(from.view(), 0, 5, sample_bytes);
    VerbsTerms terms;
    terms.ports = {"mlx5_9:1"};
    converse_by_frames(
        [&](FrameStream& stream) {
            const auto request = stream.receive();
            ck_assert(offer_verbs(stream, *request, std::chrono::hours(1)).has_value());
            ck_assert(receive_into_slot(stream, to.view(), 0).has_value());
        },
        [&](FrameStream& stream) {
            ck_assert(!use_verbs(stream, terms, way().limit));
            ck_assert(send(stream, from).has_value());
        },
        way().limit);
    ck_assert(is_whole(to.view(), 0, 5));
}
END_TEST

START_TEST(who_proves_nothing_is_refused_and_the_right_one_is_still_waited_for)
{
    auto listener = Listener::open(AF_INET).value();
    const sockaddr_storage here = own_address(listener.port());
    const Proofs accepting{{1}, [](const SessionKey::Mac& proof) { return proof == SessionKey::Mac{2}; }};
    std::thread other([&] {
        const auto stranger = Connection::dial(own_address(), here, {}, {{3}, accepting.holds}, soon(), -1);
        ck_assert(!stranger && stranger.error().code == Code::verbs);
        const Proofs right{{2}, [](const SessionKey::Mac& proof) { return proof == SessionKey::Mac{1}; }};
        ck_assert(Connection::dial(own_address(), here, {}, right, soon(), -1).has_value());
    });
    ck_assert(std::move(listener).accept({}, accepting, soon(), -1).has_value());
    other.join();
}
END_TEST

START_TEST(who_answers_without_proof_is_not_sent_anything)
{
    auto listener = Listener::open(AF_INET).value();
    const sockaddr_storage here = own_address(listener.port());
    const auto trust = [](const SessionKey::Mac&) { return true; };
    std::thread other([&] {
        const Proofs careful{{2}, [](const SessionKey::Mac& proof) { return proof == SessionKey::Mac{1}; }};
        const auto dialled = Connection::dial(own_address(), here, {}, careful, soon(), -1);
        ck_assert(!dialled && dialled.error().code == Code::bad_frame);
    });
    std::ignore = std::move(listener).accept({}, {{4}, trust}, soon(), -1);
    other.join();
}
END_TEST

START_TEST(a_key_that_was_not_given_writes_nothing)
{
    write_elsewhere(1, 0);
}
END_TEST

START_TEST(an_address_in_the_other_slot_writes_nothing)
{
    write_elsewhere(0, lay_out_segment(sample_bytes, 4096).slot_bytes);
}
END_TEST

START_TEST(a_slot_is_closed_again_when_its_snapshot_is_whole)
{
    const auto from = make_segment(sample_bytes), to = make_segment(sample_bytes);
    save_pattern(from.view(), 0, 5, sample_bytes);
    std::string opened;
    converse(
        [&](FrameStream& stream) {
            ck_assert(receive_into_slot(stream, to.view(), 0).has_value());
            std::ignore = stream.receive();
        },
        [&](FrameStream& stream) {
            opened = announce(stream, 5, sample_bytes);
            const SealedSlot sealed = read(from.view(), 0);
            ck_assert(stream.path()
                          .send(stream, sealed.header, opened, from.view().data(0).first(sample_bytes))
                          .has_value());
            FrameHeader seal;
            seal.type = FrameType::seal;
            seal.owner = sample_owner;
            seal.epoch = 5;
            ck_assert(stream.send(seal, sealed.encoded_manifest).has_value());
            ck_assert(stream.receive().has_value());
            from.view().data(0)[0] ^= std::byte{1};
            ck_assert(!stream.path().send(stream, sealed.header, opened, from.view().data(0).first(sample_bytes)));
        });
    ck_assert(is_whole(to.view(), 0, 5));
}
END_TEST

START_TEST(a_slot_on_huge_pages_is_filled)
{
    const HugeSegment from(sample_bytes), to(sample_bytes);
    save_pattern(from.view(), 0, 5, sample_bytes);
    converse([&](FrameStream& stream) { ck_assert(receive_into_slot(stream, to.view(), 1).has_value()); },
             [&](FrameStream& stream) {
                 ck_assert(
                     send_snapshot(stream, read(from.view(), 0), from.view().data(0), sample_bytes).has_value());
             });
    ck_assert(is_whole(to.view(), 1, 5));
}
END_TEST

Suite* verbs_suite()
{
    return make_suite("verbs", the_queue_pair_has_the_retries_and_the_window_of_the_contract,
                      a_window_of_one_write_carries_a_whole_snapshot, only_the_ports_of_the_contract_are_used,
                      who_asked_and_then_goes_on_without_rdma_is_not_waited_for,
                      who_proves_nothing_is_refused_and_the_right_one_is_still_waited_for,
                      who_answers_without_proof_is_not_sent_anything, a_key_that_was_not_given_writes_nothing,
                      an_address_in_the_other_slot_writes_nothing,
                      a_slot_is_closed_again_when_its_snapshot_is_whole, a_slot_on_huge_pages_is_filled);
}
