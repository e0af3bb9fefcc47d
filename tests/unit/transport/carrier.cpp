#include "daemon/keeper/carrier.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "daemon/keeper/snapshot_server.hpp"
#include "tests/unit/transport/ends.hpp"
#include "tests/unit/transport/suites.hpp"

using namespace mscale;
using namespace mscale::recovery;
using daemon::Carrier;
using daemon::HeldSegment;
using daemon::SegmentStore;

namespace {

/// A node that carries its rank's snapshots, and another one that takes them.
struct TwoNodes {
    std::unique_ptr<daemon::Loop> loop = daemon::Loop::create().value();
    Port port;
    SegmentStore own, other;
    std::shared_ptr<HeldSegment> rank = own.provide(sample_owner, sample_bytes, SegmentStore::Kind::own).value();
    daemon::Spill spill{*loop, "/absent", [] { return std::uint64_t{0}; }}; // no file is read here
    Carrier carrier{*loop, trusting(), patient(), spill, own, [](std::uint64_t) { return Result<void>(); }};
    daemon::SnapshotServer server{std::move(port.socket), other, trusting(),
                                  [](const Announcement&) { return Result<void>(); }, way().limit};

    TwoNodes()
    {
        if (way().verbs) rank->verbs.emplace();
    }
    static Timing patient()
    {
        Timing timing = derive_timing(std::chrono::milliseconds(600));
        timing.connect = timing.fetch_stall = way().limit;
        return timing;
    }
    daemon::KeeperAddress there() const
    {
        daemon::KeeperAddress keeper{"n2", {}};
        std::memcpy(&keeper.address.address, &port.address, sizeof port.address);
        keeper.address.length = sizeof port.address;
        return keeper;
    }
    Carrier::Copied copy_out(std::uint64_t epoch)
    {
        save_pattern(rank->memory.view(), 0, epoch, sample_bytes);
        SegmentStore::seal(*rank, 0, {sample_owner, epoch, epoch * 10, 0, sample_bytes});
        Result<Carrier::Copied> result;
        carrier.copy_out(rank, 0, epoch, {there()}, [&](const Result<Carrier::Copied>& copied) {
            result = copied;
            loop->stop();
        });
        ck_assert(loop->run().has_value());
        ck_assert(result.has_value());
        return *result;
    }
    Carrier::Brought bring_in(std::uint64_t epoch)
    {
        Result<Carrier::Brought> result;
        const CommitRecord record{sample_owner.job_id, sample_owner.incarnation, sample_owner.ranks, epoch,
                                  epoch * 10};
        carrier.bring_in(rank, record, {"n1", {there()}, {}}, [&](const Result<Carrier::Brought>& brought) {
            result = brought;
            loop->stop();
        });
        ck_assert(loop->run().has_value());
        ck_assert(result.has_value());
        return *result;
    }
    /// Puts a piece of what the other node holds into slot 1.
    Result<void> read_piece(std::uint64_t epoch, const PieceRequest& piece)
    {
        Result<void> result;
        const CommitRecord record{sample_owner.job_id, sample_owner.incarnation, sample_owner.ranks, epoch, epoch * 10};
        carrier.read_piece(rank, 1, piece, record, {"n1", {there()}, {}}, [&](const Carrier::PieceRead& come) {
            result = come.read;
            loop->stop();
        });
        ck_assert(loop->run().has_value());
        return result;
    }
    /// Whether the other node holds an epoch, or will at once: its acknowledgement may come before it has written that down.
    bool holds(std::uint64_t epoch) const
    {
        const auto until = std::chrono::steady_clock::now() + way().limit;
        while (!find(epoch) && std::chrono::steady_clock::now() < until)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return find(epoch);
    }
    bool find(std::uint64_t epoch) const
    {
        const auto held = other.find(sample_owner, SegmentStore::Kind::copy);
        if (!held) return false;
        const std::scoped_lock lock(held->mutex);
        const auto slot = SegmentStore::find_slot(*held, epoch);
        return slot && is_whole(held->memory.view(), *slot, epoch);
    }
};

/// Packets that the adapters of this node have sent.
std::uint64_t count_packets()
{
    std::uint64_t packets = 0;
    const char* devices = "/sys/class/infiniband";
    if (!std::filesystem::exists(devices)) return 0;
    for (const auto& device : std::filesystem::directory_iterator(devices)) {
        std::uint64_t sent = 0;
        std::ifstream(device.path() / "ports/1/hw_counters/sent_pkts") >> sent;
        packets += sent;
    }
    return packets;
}

} // namespace

START_TEST(a_ranks_snapshot_goes_to_the_partner_and_comes_back_by_the_way_of_its_contract)
{
    TwoNodes nodes;
    const std::uint64_t before = count_packets();
    ck_assert_uint_eq(nodes.copy_out(5).held_by.size(), 1);
    ck_assert(nodes.holds(5));
    nodes.rank->sealed[0].reset();
    const auto brought = nodes.bring_in(5);
    ck_assert(brought.slot && is_whole(nodes.rank->memory.view(), *brought.slot, 5));
    const std::uint64_t least = 2 * sample_bytes / 4096; // of RDMA's longest packet
    ck_assert(way().verbs ? count_packets() - before >= least : count_packets() == before);
}
END_TEST

START_TEST(pieces_of_what_another_node_holds_come_as_they_were_saved)
{
    TwoNodes nodes;
    ck_assert_uint_eq(nodes.copy_out(5).held_by.size(), 1);
    ck_assert(nodes.holds(5));
    const auto sealed = read_slot(nodes.rank->memory.view(), 0, sample_owner).value();
    const auto place = nodes.rank->memory.view().data(1);
    ck_assert(nodes.read_piece(5, {sample_owner, 5, PieceKind::data, 4096, 100}).has_value());
    ck_assert(std::ranges::equal(place.first(100), nodes.rank->memory.view().data(0).subspan(4096, 100)));
    ck_assert(nodes.read_piece(5, {sample_owner, 5, PieceKind::header, 0, 4096}).has_value());
    ck_assert(decode_slot_header({reinterpret_cast<const char*>(place.data()), 4096}).value() == sealed->header);
    ck_assert(nodes.read_piece(5, {sample_owner, 5, PieceKind::manifest, 0, sealed->encoded_manifest.size()}).has_value());
    ck_assert(std::memcmp(place.data(), sealed->encoded_manifest.data(), sealed->encoded_manifest.size()) == 0);
    ck_assert(nodes.read_piece(5, {sample_owner, 5, PieceKind::header, 1, 4096}).error().code == Code::snapshot_damaged);
    ck_assert(nodes.read_piece(6, {sample_owner, 6, PieceKind::data, 0, 100}).error().code == Code::no_snapshot);
    Owner others = sample_owner; // as another number of ranks wrote it
    others.ranks += 1;
    ck_assert(nodes.read_piece(5, {others, 5, PieceKind::data, 0, 100}).error().code == Code::no_snapshot);
}
END_TEST

START_TEST(a_rank_whose_ports_are_down_is_copied_by_tcp)
{
    if (!way().verbs) return;
    ck_assert_int_eq(std::system("ip link set rail0 down; ip link set rail1 down"), 0);
    TwoNodes nodes;
    const std::uint64_t before = count_packets();
    const auto copied = nodes.copy_out(5);
    ck_assert_int_eq(std::system("ip link set rail0 up; ip link set rail1 up"), 0);
    ck_assert_uint_eq(copied.held_by.size(), 1);
    ck_assert(nodes.holds(5));
    ck_assert_uint_eq(count_packets(), before);
}
END_TEST

Suite* carrier_suite()
{
    return make_suite("carrier",
                      a_ranks_snapshot_goes_to_the_partner_and_comes_back_by_the_way_of_its_contract,
                      pieces_of_what_another_node_holds_come_as_they_were_saved, a_rank_whose_ports_are_down_is_copied_by_tcp);
}
