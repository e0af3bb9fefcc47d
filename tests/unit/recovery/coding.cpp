#include "recovery/coding.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "recovery/checksum.hpp"
#include "recovery/coded_part.hpp"
#include "recovery/redundancy.hpp"
#include "tests/unit/recovery/samples.hpp"
#include "tests/unit/recovery/suites.hpp"

using namespace mscale;
using namespace mscale::recovery;

namespace {

using Places = std::vector<RankPlace>;

std::vector<std::byte> to_bytes(const std::string& text)
{
    const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
    return {bytes.begin(), bytes.end()};
}

/// All that the members of a group keep, and a reader of it that fails for what is lost.
struct Kept {
    Kept(Random& random, unsigned members, unsigned parity, std::size_t limit)
    {
        group.parity = parity;
        for (unsigned i = 0; i < members; ++i) {
            data.push_back(random_bytes(random, pick(random, limit)));
            manifests.push_back(encode_manifest({data[i].size(), {}, crc32c_chunks(data[i])}));
            group.members.push_back({10 * i, data[i].size(), manifests[i].size()});
        }
        parts = {std::vector<bool>(members, true), std::vector<bool>(members, true)};
        for (unsigned i = 0; i < members; ++i) {
            Bytes place(count_coded_bytes(group, i));
            contents.push_back(write_coded_part(group, i, reader(), place).value());
            coded.push_back(std::move(place));
        }
    }
    PieceReader reader() const
    {
        return [this](const GroupPiece& piece, std::span<std::byte> place) -> Result<void> {
            const bool own = piece.kind != PieceKind::coded;
            ck_assert(own ? parts.shards[piece.member] : parts.coded[piece.member]);
            const Bytes from = piece.kind == PieceKind::data       ? data[piece.member]
                               : piece.kind == PieceKind::manifest ? to_bytes(manifests[piece.member])
                                                                   : coded[piece.member];
            ck_assert(piece.bytes == place.size() && piece.at + piece.bytes <= from.size());
            std::ranges::copy(std::span(from).subspan(piece.at, piece.bytes), place.begin());
            return {};
        };
    }
    void lose(unsigned member)
    {
        parts.shards[member] = false;
        parts.coded[member] = false;
    }
    void expect_back(unsigned member) const
    {
        ck_assert(can_rebuild(group, member, parts));
        Bytes place(data[member].size());
        ck_assert(rebuild_shard(group, member, parts, reader(), place).has_value());
        ck_assert(place == data[member]);
        ck_assert(rebuild_manifest(group, member, parts, reader()).value() == manifests[member]);
    }

    CodedGroup group;
    GroupParts parts;
    std::vector<Bytes> data, coded;
    std::vector<std::string> manifests;
    std::vector<Manifest> contents;
};

/// Calls for each set of at most `most` of `count` things.
template <class Call> void each_loss(unsigned count, unsigned most, Call call)
{
    for (unsigned set = 0; set < (1u << count); ++set) {
        std::vector<unsigned> lost;
        for (unsigned i = 0; i < count; ++i)
            if (set >> i & 1) lost.push_back(i);
        if (lost.size() <= most) call(lost);
    }
}

Places spread(unsigned nodes, unsigned ranks_per_node, unsigned nodes_per_domain)
{
    Places places;
    for (unsigned i = 0; i < nodes * ranks_per_node; ++i) {
        const unsigned node = i / ranks_per_node;
        places.push_back({i, "n" + std::to_string(node),
                          nodes_per_domain > 1 ? "d" + std::to_string(node / nodes_per_domain) : ""});
    }
    return places;
}

std::string domain_of(const RankPlace& place)
{
    return place.domain.empty() ? place.node : place.domain;
}

/// Whether every rank of a loss can be made of what the others keep, each rank of one page.
bool survives(const Places& places, const RankGroups& groups, unsigned parity, const std::set<std::string>& lost)
{
    std::map<std::uint32_t, bool> lives;
    for (const RankPlace& place : places) lives[place.rank] = !lost.contains(domain_of(place));
    for (const auto& ranks : groups) {
        CodedGroup group{parity, {}};
        GroupParts parts;
        for (const std::uint32_t rank : ranks) {
            group.members.push_back({rank, 1 << 20, 100});
            parts.shards.push_back(lives[rank]);
            parts.coded.push_back(lives[rank]);
        }
        for (unsigned member = 0; member < group.size(); ++member)
            if (!parts.shards[member] && !can_rebuild(group, member, parts)) return false;
    }
    return true;
}

std::vector<std::string> domains_of(const Places& places)
{
    std::set<std::string> domains;
    for (const RankPlace& place : places) domains.insert(domain_of(place));
    return {domains.begin(), domains.end()};
}

void expect_survives_all(const Places& places, const RankGroups& groups, unsigned parity)
{
    const auto domains = domains_of(places);
    each_loss(static_cast<unsigned>(domains.size()), parity, [&](const std::vector<unsigned>& lost) {
        std::set<std::string> names;
        for (const unsigned domain : lost) names.insert(domains[domain]);
        ck_assert(survives(places, groups, parity, names));
    });
}

/// The groups that the loss of any `parity` domains could take, by their first rank.
std::vector<std::uint32_t> find_exposed_groups(const std::vector<RankPlace>& places, const RankGroups& groups,
                                               unsigned parity)
{
    std::map<std::uint32_t, std::string> domains;
    for (const RankPlace& place : places) domains[place.rank] = place.domain.empty() ? place.node : place.domain;
    std::vector<std::uint32_t> exposed;
    for (const auto& group : groups) {
        std::map<std::string, std::size_t> members;
        for (const std::uint32_t rank : group) ++members[domains[rank]];
        std::vector<std::size_t> most;
        for (const auto& [domain, count] : members) most.push_back(count);
        std::ranges::sort(most, std::greater());
        std::size_t lost = 0;
        for (std::size_t i = 0; i < std::min<std::size_t>(parity, most.size()); ++i) lost += most[i];
        if (lost > parity || group.size() <= parity) exposed.push_back(group.empty() ? 0 : group.front());
    }
    return exposed;
}

} // namespace

START_TEST(every_loss_within_the_parity_gives_all_members_back_bit_by_bit)
{
    Random random(31);
    for (const auto& [members, parity] : std::vector<std::pair<unsigned, unsigned>>{{2, 1}, {3, 1}, {5, 1}, {4, 2}, {6, 3}})
        for (const std::size_t bytes : {0u, 3000u, 50000u}) {
            Kept kept(random, members, parity, bytes);
            each_loss(members, parity, [&kept, whole = kept.parts](const std::vector<unsigned>& lost) {
                kept.parts = whole;
                for (const unsigned member : lost) kept.lose(member);
                for (const unsigned member : lost) kept.expect_back(member);
            });
        }
}
END_TEST

START_TEST(members_longer_than_a_window_come_back_too)
{
    Random random(36);
    Kept kept(random, 4, 2, 5 << 20);
    kept.lose(1);
    kept.lose(2);
    kept.expect_back(1);
    kept.expect_back(2);
}
END_TEST

START_TEST(one_loss_more_is_refused_with_numbers)
{
    Random random(32);
    Kept kept(random, 4, 2, 50000);
    for (const unsigned member : {0u, 1u, 2u}) kept.lose(member);
    kept.group.members[0].data_bytes = 50000;
    Bytes place(50000);
    ck_assert(!can_rebuild(kept.group, 0, kept.parts));
    const auto refused = rebuild_shard(kept.group, 0, kept.parts, kept.reader(), place);
    ck_assert(!refused && refused.error().code == Code::parts_lost);
    expect_text(refused.error().text, "rank 0: 1 of the 4 parts of a stripe are there, 2 are needed");
    kept.lose(3);
    ck_assert(rebuild_manifest(kept.group, 0, kept.parts, kept.reader()).error().code == Code::parts_lost);
}
END_TEST

START_TEST(a_coded_part_is_about_the_size_of_its_share_and_fits_its_room)
{
    Random random(33);
    for (const auto& [scheme, members] :
         std::vector<std::pair<CodingScheme, unsigned>>{{{4, 1}, 4}, {{4, 1}, 7}, {{6, 2}, 6}, {{6, 2}, 11}}) {
        CodedGroup group{scheme.parity, {}};
        const SegmentLayout layout = lay_out_segment(64 << 20, 4096);
        for (unsigned i = 0; i < members; ++i) group.members.push_back({i, 64 << 20, layout.manifest_bytes});
        const std::uint64_t share = (64ull << 20) * scheme.parity / (members - scheme.parity);
        for (unsigned i = 0; i < members; ++i) {
            ck_assert(count_coded_bytes(group, i) <= count_coded_room(scheme, 64 << 20));
            ck_assert(count_coded_bytes(group, i) < share + scheme.parity * (layout.manifest_bytes + 4096) + 4096);
        }
    }
    ck_assert(count_coded_room({0, 0}, 1 << 20) == 0 && count_coded_room({2, 2}, 1 << 20) == 0);
}
END_TEST

START_TEST(a_coded_part_says_of_which_group_it_is_and_nothing_else_passes_for_one)
{
    Random random(34);
    const Kept kept(random, 5, 2, 9000);
    for (unsigned member = 0; member < 5; ++member) {
        ck_assert(check_manifest(kept.contents[member]).has_value());
        ck_assert(read_coded_group(kept.contents[member], kept.coded[member]).value() == kept.group);
    }
    Bytes flipped = kept.coded[0];
    flipped[flipped.size() - 20] ^= std::byte(1);
    ck_assert(read_coded_group(kept.contents[0], flipped).error().code == Code::snapshot_damaged);
    ck_assert(!read_coded_group(kept.contents[0], std::span(flipped).first(100)));
    ck_assert(!read_coded_group(Manifest{}, flipped));
}
END_TEST

START_TEST(groups_that_are_placed_survive_every_loss_of_domains_within_the_parity)
{
    unsigned placed = 0;
    for (unsigned nodes = 1; nodes <= 9; ++nodes)
        for (unsigned ranks = 1; ranks <= 3; ++ranks)
            for (unsigned per_domain = 1; per_domain <= 3; ++per_domain)
                for (const CodingScheme scheme : {CodingScheme{2, 1}, CodingScheme{4, 1}, CodingScheme{4, 2}, CodingScheme{5, 3}}) {
                    const Places places = spread(nodes, ranks, per_domain);
                    const auto groups = place_groups(places, scheme);
                    if (!groups) continue;
                    ++placed;
                    std::set<std::uint32_t> all;
                    for (const auto& group : *groups) {
                        ck_assert(group.size() >= scheme.members);
                        all.insert(group.begin(), group.end());
                    }
                    ck_assert(all.size() == places.size());
                    ck_assert(find_exposed_groups(places, *groups, scheme.parity).empty());
                    expect_survives_all(places, *groups, scheme.parity);
                }
    ck_assert_uint_gt(placed, 60);
}
END_TEST

START_TEST(the_checker_agrees_with_every_loss_for_groups_of_any_kind)
{
    Random random(35);
    unsigned exposed = 0;
    for (int round = 0; round < 400; ++round) {
        const Places places = spread(6, 1, 1 + static_cast<unsigned>(pick(random, 2)));
        const auto parity = static_cast<unsigned>(1 + pick(random, 1));
        std::vector<std::uint32_t> ranks = {0, 1, 2, 3, 4, 5};
        std::ranges::shuffle(ranks, random);
        const RankGroups groups = {{ranks.begin(), ranks.begin() + 3}, {ranks.begin() + 3, ranks.end()}};
        const auto domains = domains_of(places);
        bool survived = true;
        each_loss(static_cast<unsigned>(domains.size()), parity, [&](const std::vector<unsigned>& lost) {
            std::set<std::string> names;
            for (const unsigned domain : lost) names.insert(domains[domain]);
            survived = survived && survives(places, groups, parity, names);
        });
        ck_assert(survived == find_exposed_groups(places, groups, parity).empty());
        exposed += survived ? 0 : 1;
    }
    ck_assert(exposed > 50 && exposed < 400);
    ck_assert(find_exposed_groups(spread(2, 1, 1), {{0, 1}}, 2) == std::vector<std::uint32_t>{0});
}
END_TEST

START_TEST(ranks_that_cannot_be_kept_apart_are_refused_with_numbers)
{
    const auto refused = place_groups(spread(3, 2, 1), {4, 1});
    ck_assert(!refused && refused.error().code == Code::no_partner);
    expect_text(refused.error().text, "6 ranks, of which one failure domain holds 2, in groups of 4: no two of a group may be "
                                      "lost together");
    ck_assert(!place_groups({}, {2, 1}) && !place_groups(spread(3, 1, 1), {4, 1}) && !place_groups(spread(4, 1, 4), {4, 1}));
    ck_assert(!place_groups(spread(4, 1, 1), {0, 0}));
}
END_TEST

START_TEST(the_order_in_which_ranks_are_told_changes_no_group)
{
    Places places = spread(8, 2, 1);
    const auto before = place_groups(places, {4, 1}).value();
    std::ranges::reverse(places);
    ck_assert(place_groups(places, {4, 1}).value() == before);
}
END_TEST

Suite* coding_suite()
{
    return make_suite("coding", every_loss_within_the_parity_gives_all_members_back_bit_by_bit, members_longer_than_a_window_come_back_too,
                      one_loss_more_is_refused_with_numbers,
                      a_coded_part_is_about_the_size_of_its_share_and_fits_its_room,
                      a_coded_part_says_of_which_group_it_is_and_nothing_else_passes_for_one,
                      groups_that_are_placed_survive_every_loss_of_domains_within_the_parity,
                      the_checker_agrees_with_every_loss_for_groups_of_any_kind,
                      ranks_that_cannot_be_kept_apart_are_refused_with_numbers,
                      the_order_in_which_ranks_are_told_changes_no_group);
}
