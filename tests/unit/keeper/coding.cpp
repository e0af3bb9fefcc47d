#include "daemon/coding/group_coder.hpp"

#include <algorithm>

#include "daemon/coding/rebuild.hpp"
#include "tests/unit/keeper/coding_nodes.hpp"
#include "tests/unit/keeper/suites.hpp"

using namespace coding_of_test;

namespace {

constexpr std::uint64_t room = 3 << 20;

/// What all nodes but the lost ones say that they hold.
std::vector<HeldCopy> list_held(CodingNodes& nodes, const std::set<unsigned>& lost)
{
    std::vector<HeldCopy> copies;
    for (unsigned rank = 0; rank < nodes.ranks(); ++rank) {
        if (lost.contains(rank)) continue;
        for (HeldCopy held : nodes.node(rank).store.list(7)) {
            held.node = nodes.node(rank).name;
            copies.push_back(std::move(held));
        }
    }
    return copies;
}

/// Reads the parts of a plan over streams, as a node that has none of them.
class PlanReader {
public:
    PlanReader(CodingNodes& nodes, const RebuildPlan& plan, const CommitRecord& of)
        : nodes_(nodes), plan_(plan), record_(of),
          streams_(none_, trusting_introduction, derive_timing(std::chrono::milliseconds(600)))
    {
    }
    PieceReader reader()
    {
        return [this](const GroupPiece& piece, std::span<std::byte> place) -> Result<void> {
            const std::string& name = plan_.node_of(piece);
            const KeeperAddress keeper = nodes_.node(static_cast<unsigned>(std::stoul(name.substr(1)))).keeper();
            const Owner owner = owner_in(record_, owner_of(plan_.group.members[piece.member].rank, record_.ranks));
            return streams_.read(&keeper, {owner, record_.epoch, piece.kind, piece.at, piece.bytes}, place);
        };
    }

private:
    CodingNodes& nodes_;
    const RebuildPlan& plan_;
    CommitRecord record_;
    SegmentStore none_;
    PieceStreams streams_;
};

CommitRecord record_of(const CodingNodes& nodes, std::uint64_t epoch)
{
    return {7, run_of_test, nodes.ranks(), epoch, epoch * 10};
}

std::vector<std::byte> data_of(HeldSegment& segment, std::uint64_t epoch)
{
    const unsigned slot = SegmentStore::find_slot(segment, epoch).value();
    const auto data = segment.memory.view().data(slot).first(segment.sealed[slot]->data_bytes);
    return {data.begin(), data.end()};
}

void save_all(CodingNodes& nodes, std::uint64_t epoch)
{
    for (unsigned rank = 0; rank < nodes.ranks(); ++rank) nodes.save(rank, epoch, 1000000 + rank * 70001, room);
}

/// Loses nodes and makes each one's snapshot again on a new node.
void expect_back(CodingNodes& nodes, std::uint64_t epoch, const std::set<unsigned>& lost)
{
    const auto held = list_held(nodes, lost);
    const auto choice = choose_restore({record_of(nodes, epoch)}, held).value();
    for (const unsigned rank : lost) {
        const RebuildPlan& plan = choice.rebuilds.at(rank);
        SegmentStore spare;
        const auto memory = spare.provide(owner_of(rank, nodes.ranks(), {0, 4}), room, SegmentStore::Kind::own).value();
        PlanReader reader(nodes, plan, record_of(nodes, epoch));
        ck_assert(rebuild_snapshot(*memory, record_of(nodes, epoch), plan, reader.reader()).has_value());
        const auto saved = nodes.node(rank).store.find(owner_of(rank, nodes.ranks()), SegmentStore::Kind::own);
        ck_assert(data_of(*memory, epoch) == data_of(*saved, epoch));
    }
}

void flip_byte(CodingNodes& nodes, unsigned rank, SegmentStore::Kind kind, std::uint64_t epoch)
{
    const auto held = nodes.node(rank).store.find(owner_of(rank, nodes.ranks()), kind);
    held->memory.view().data(SegmentStore::find_slot(*held, epoch).value())[5] ^= std::byte(1);
}

} // namespace

START_TEST(a_group_codes_what_all_have_sealed_and_a_lost_node_is_made_again_bit_by_bit)
{
    CodingNodes nodes(4, {4, 1});
    save_all(nodes, 1);
    nodes.run_until([&] { return nodes.all_coded(1); });
    for (unsigned rank = 0; rank < 4; ++rank) expect_back(nodes, 1, {rank});
    ck_assert(!choose_restore({record_of(nodes, 1)}, list_held(nodes, {0, 1})));
}
END_TEST

START_TEST(two_lost_nodes_of_a_reed_solomon_group_are_made_again)
{
    CodingNodes nodes(5, {4, 2});
    save_all(nodes, 1);
    nodes.run_until([&] { return nodes.all_coded(1); });
    for (unsigned a = 0; a < 5; ++a)
        for (unsigned b = 0; b < a; ++b) expect_back(nodes, 1, {a, b});
    ck_assert(!choose_restore({record_of(nodes, 1)}, list_held(nodes, {0, 1, 2})));
}
END_TEST

START_TEST(nothing_is_coded_before_the_last_of_the_group_has_sealed)
{
    CodingNodes nodes(3, {3, 1});
    nodes.save(0, 1, 5000, room);
    nodes.save(1, 1, 5000, room);
    nodes.run_until([&, end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200)] {
        return std::chrono::steady_clock::now() > end;
    });
    for (unsigned rank = 0; rank < 3; ++rank) ck_assert(nodes.node(rank).coded.empty());
    nodes.save(2, 1, 5000, room);
    nodes.run_until([&] { return nodes.all_coded(1); });
}
END_TEST

START_TEST(a_node_that_was_silent_is_told_again)
{
    CodingNodes nodes(3, {3, 1});
    nodes.node(1).coder->place(nodes.run(), [](const Result<void>&) {});
    save_all(nodes, 1); // so that every node knows the groups
    nodes.run_until([&] { return nodes.all_coded(1); });
    nodes.silent = {"n0"};
    save_all(nodes, 2);
    nodes.silent.clear();
    for (unsigned rank = 0; rank < 3; ++rank) nodes.node(rank).coder->again();
    nodes.run_until([&] { return nodes.all_coded(2); });
    expect_back(nodes, 2, {1});
}
END_TEST

START_TEST(a_flipped_byte_is_found_before_it_is_coded_and_named)
{
    CodingNodes nodes(3, {3, 1});
    nodes.save(0, 1, 50000, room);
    nodes.save(1, 1, 50000, room);
    flip_byte(nodes, 1, SegmentStore::Kind::own, 1);
    nodes.save(2, 1, 50000, room);
    nodes.run_until([&] { return !nodes.node(0).failures.empty() || !nodes.node(2).failures.empty(); });
    const auto& failures = nodes.node(0).failures.empty() ? nodes.node(2).failures : nodes.node(0).failures;
    ck_assert(failures[0].code == Code::snapshot_damaged);
    ck_assert(failures[0].text.find("rank 1 epoch 1: chunk 0 of 1 isn't what was saved") != std::string::npos);
}
END_TEST

START_TEST(a_damaged_coded_part_is_named_when_it_is_needed)
{
    CodingNodes nodes(3, {3, 1});
    save_all(nodes, 1);
    nodes.run_until([&] { return nodes.all_coded(1); });
    flip_byte(nodes, 2, SegmentStore::Kind::coded, 1);
    const auto choice = choose_restore({record_of(nodes, 1)}, list_held(nodes, {0})).value();
    const RebuildPlan& plan = choice.rebuilds.at(0);
    SegmentStore spare;
    const auto memory = spare.provide(owner_of(0, 3), room, SegmentStore::Kind::own).value();
    PlanReader reader(nodes, plan, record_of(nodes, 1));
    const auto rebuilt = rebuild_snapshot(*memory, record_of(nodes, 1), plan, reader.reader());
    ck_assert(!rebuilt && rebuilt.error().why.code == Code::snapshot_damaged);
    ck_assert(rebuilt.error().piece && plan.node_of(*rebuilt.error().piece) == "n2");
    ck_assert(!SegmentStore::find_slot(*memory, 1));
}
END_TEST

START_TEST(the_memory_of_coded_parts_doesnt_grow_over_many_saves)
{
    CodingNodes nodes(3, {3, 1});
    save_all(nodes, 1);
    nodes.run_until([&] { return nodes.all_coded(1); });
    const std::uint64_t before = nodes.node(0).store.count_bytes(7);
    for (std::uint64_t epoch = 2; epoch <= 6; ++epoch) {
        save_all(nodes, epoch);
        nodes.run_until([&] { return nodes.all_coded(epoch); });
        for (unsigned rank = 0; rank < 3; ++rank) nodes.node(rank).store.commit(7, epoch);
    }
    ck_assert_uint_eq(nodes.node(0).store.count_bytes(7), before);
    expect_back(nodes, 6, {2});
}
END_TEST

START_TEST(what_is_coded_already_is_not_made_again_and_another_group_replaces_it_only_when_whole)
{
    CodingNodes nodes(4, {4, 1});
    save_all(nodes, 1);
    nodes.run_until([&] { return nodes.all_coded(1); });
    const auto held = nodes.node(0).store.find(owner_of(0, 4), SegmentStore::Kind::coded);
    const unsigned slot = SegmentStore::find_slot(*held, 1).value();
    CodedOrder order{owner_of(0, 4), {owner_of(0, 4), 1, 10, 0, 0}, *held->groups[slot], held->memory.view().layout().data_bytes};
    const PieceReader none = [](const GroupPiece&, std::span<std::byte>) -> Result<void> { return failure(Code::peer, "silent"); };
    order.room = 1 << 20; // smaller memory is never taken in place of what is held
    ck_assert(write_coded_slot(nodes.node(0).store, order, none).has_value());
    ck_assert(nodes.node(0).store.find(owner_of(0, 4), SegmentStore::Kind::coded) == held);
    order.group.members.pop_back();
    ck_assert(!write_coded_slot(nodes.node(0).store, order, none));
    ck_assert(SegmentStore::find_slot(*held, 1) == slot);
    const PieceReader zeros = [](const GroupPiece&, std::span<std::byte> place) -> Result<void> {
        std::ranges::fill(place, std::byte(0));
        return {};
    };
    ck_assert(write_coded_slot(nodes.node(0).store, order, zeros).has_value());
    ck_assert(SegmentStore::find_slot(*held, 1) == 1 - slot && held->groups[1 - slot] == order.group);
}
END_TEST

START_TEST(a_run_with_too_few_nodes_is_told_so)
{
    CodingNodes nodes(3, {4, 1});
    Result<void> placed;
    nodes.node(0).coder->place(nodes.run(), [&](const Result<void>& said) { placed = said; });
    ck_assert(!placed && placed.error().code == Code::no_partner);
}
END_TEST

START_TEST(groups_that_cannot_be_kept_apart_are_told_to_be_exposed_and_coded_all_the_same)
{
    CodingNodes nodes(3, {3, 1});
    nodes.domains = {{nodes.node(0).name, "s1"}, {nodes.node(1).name, "s1"}, {nodes.node(2).name, "s2"}};
    save_all(nodes, 1);
    nodes.run_until([&] { return nodes.all_coded(1); });
    for (unsigned i = 0; i < 3; ++i) ck_assert(nodes.node(i).coder->exposure_of(7) == "s1");
}
END_TEST

START_TEST(an_older_run_has_no_say_in_the_groups)
{
    CodingNodes nodes(3, {3, 1});
    save_all(nodes, 1);
    nodes.run_until([&] { return nodes.all_coded(1); });
    Result<void> placed;
    nodes.node(0).coder->place({7, {0, 2}, 3, {3, 1}}, [&](const Result<void>& said) { placed = said; });
    ck_assert(!placed && placed.error().code == Code::fenced);
}
END_TEST

START_TEST(what_keepers_say_of_groups_reads_back_as_it_was)
{
    const CodedGroup group{2, {{0, 100, 50}, {3, 200, 60}, {9, 0, 40}}};
    ck_assert(coded_group_from_json(to_json(group), "x") == group);
    const RebuildPlan plan{group, {"n1", "", "n3"}, {"", "n2", "n3"}};
    ck_assert(rebuild_plan_from_json(to_json(plan), "x") == plan);
    const ShardNews news{7, run_of_test, {{{owner_of(2, 4), 5, 50, 100, 4096}, 8192}}};
    ck_assert(shard_news_from_json(to_json(news), "x") == news);
    Json short_plan = to_json(plan);
    short_plan["coded"].erase(0);
    ck_assert(!rebuild_plan_from_json(short_plan, "x"));
    Json wrong = to_json(group);
    wrong["parity"] = 3;
    ck_assert(!coded_group_from_json(wrong, "x") && !shard_news_from_json(Json::array(), "x"));
}
END_TEST

Suite* coding_suite()
{
    return make_suite("coding", a_group_codes_what_all_have_sealed_and_a_lost_node_is_made_again_bit_by_bit,
                      two_lost_nodes_of_a_reed_solomon_group_are_made_again,
                      nothing_is_coded_before_the_last_of_the_group_has_sealed, a_node_that_was_silent_is_told_again,
                      a_flipped_byte_is_found_before_it_is_coded_and_named,
                      a_damaged_coded_part_is_named_when_it_is_needed,
                      the_memory_of_coded_parts_doesnt_grow_over_many_saves,
                      what_is_coded_already_is_not_made_again_and_another_group_replaces_it_only_when_whole,
                      a_run_with_too_few_nodes_is_told_so,
                      groups_that_cannot_be_kept_apart_are_told_to_be_exposed_and_coded_all_the_same, an_older_run_has_no_say_in_the_groups,
                      what_keepers_say_of_groups_reads_back_as_it_was);
}
