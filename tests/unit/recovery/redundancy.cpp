#include "recovery/redundancy.hpp"

#include <algorithm>
#include <iterator>

#include "tests/unit/recovery/samples.hpp"
#include "tests/unit/recovery/suites.hpp"

using namespace mscale;
using namespace mscale::recovery;

namespace {

/// Shards and parity of a group, and what is needed to rebuild some.
struct Group {
    Group(Random& random, std::size_t shards, unsigned parity, std::size_t longest)
    {
        for (std::size_t i = 0; i < shards; ++i)
            all.push_back(random_bytes(random, pick(random, longest)));
        for (const Bytes& shard : all) lengths.push_back(shard.size());
        const std::vector<BytesView> views(all.begin(), all.end());
        auto added = encode_parity(views, parity).value();
        std::ranges::move(added, std::back_inserter(all));
    }
    std::vector<std::optional<BytesView>> without(const std::vector<std::size_t>& lost) const
    {
        std::vector<std::optional<BytesView>> parts(all.begin(), all.end());
        for (const std::size_t part : lost) parts[part].reset();
        return parts;
    }
    void expect_rebuilt(const std::vector<std::size_t>& lost) const
    {
        const auto rebuilt = rebuild_parts(without(lost), lengths);
        ck_assert(rebuilt && rebuilt->size() == lost.size());
        for (const auto& [part, bytes] : *rebuilt) ck_assert(bytes == all[part]);
    }

    std::vector<Bytes> all;
    std::vector<std::uint64_t> lengths;
};

std::vector<std::size_t> pick_lost(Random& random, std::size_t parts, std::size_t count)
{
    std::vector<std::size_t> lost(parts);
    for (std::size_t i = 0; i < parts; ++i) lost[i] = i;
    std::ranges::shuffle(lost, random);
    lost.resize(count);
    return lost;
}

} // namespace

START_TEST(one_parity_is_the_xor_of_shards_of_any_length)
{
    Random random(12);
    const auto a = random_bytes(random, 40000), b = random_bytes(random, 20001), c = random_bytes(random, 0);
    const std::vector<BytesView> shards = {a, b, c};
    const auto parity = encode_parity(shards, 1).value();
    ck_assert(parity.size() == 1 && parity[0].size() == 40000);
    for (std::size_t i = 0; i < parity[0].size(); ++i)
        ck_assert(parity[0][i] == (a[i] ^ (i < b.size() ? b[i] : std::byte(0))));
}
END_TEST

START_TEST(any_loss_within_the_parity_is_rebuilt)
{
    Random random(13);
    for (int round = 0; round < 150; ++round) {
        const auto shards = 1 + pick(random, 9);
        const auto parity = static_cast<unsigned>(1 + pick(random, 4));
        const Group group(random, shards, parity, round % 5 == 0 ? 70000 : 300);
        for (std::size_t lost = 0; lost <= parity; ++lost)
            group.expect_rebuilt(pick_lost(random, group.all.size(), lost));
    }
}
END_TEST

START_TEST(every_pair_of_a_group_of_eight_may_be_lost)
{
    Random random(14);
    const Group group(random, 6, 2, 1000);
    for (std::size_t a = 0; a < 8; ++a)
        for (std::size_t b = 0; b < a; ++b) group.expect_rebuilt({a, b});
}
END_TEST

START_TEST(more_than_the_parity_is_refused_with_numbers)
{
    Random random(15);
    for (const unsigned parity : {1u, 3u}) {
        const Group group(random, 4, parity, 300);
        const auto rebuilt =
            rebuild_parts(group.without(pick_lost(random, group.all.size(), parity + 1)), group.lengths);
        ck_assert(!rebuilt && rebuilt.error().code == Code::parts_lost);
    }
    const Group group(random, 4, 1, 300);
    expect_text(rebuild_parts(group.without({0, 4}), group.lengths).error().text,
                "2 of 5 parts are lost, 1 can be rebuilt");
}
END_TEST

START_TEST(a_part_of_another_length_is_damage)
{
    Random random(16);
    const Group group(random, 3, 2, 300);
    auto parts = group.without({0});
    parts[4] = parts[4]->first(parts[4]->size() - 1);
    ck_assert(rebuild_parts(parts, group.lengths).error().code == Code::snapshot_damaged);
    auto lengths = group.lengths;
    ++lengths[1];
    ck_assert(rebuild_parts(group.without({0}), lengths).error().code == Code::snapshot_damaged);
}
END_TEST

START_TEST(windows_of_long_shards_may_be_encoded_one_by_one)
{
    Random random(17);
    const auto a = random_bytes(random, 50000), b = random_bytes(random, 50000);
    for (const unsigned parity : {1u, 2u}) {
        const auto whole = encode_parity(std::vector<BytesView>{a, b}, parity).value();
        const std::vector<BytesView> window = {BytesView(a).subspan(30001), BytesView(b).subspan(30001)};
        const auto part = encode_parity(window, parity).value();
        ck_assert(std::ranges::equal(part.back(), BytesView(whole.back()).subspan(30001)));
    }
}
END_TEST

START_TEST(groups_that_cannot_be_are_refused)
{
    const Bytes shard(10);
    ck_assert(!encode_parity({}, 1) && !encode_parity(std::vector<BytesView>{shard}, 0));
    ck_assert(!encode_parity(std::vector<BytesView>(200, shard), 56));
    ck_assert(encode_parity(std::vector<BytesView>(200, shard), 55));
    ck_assert(!encode_parity(std::vector<BytesView>{shard}, 4294967295u));
    ck_assert(!rebuild_parts({}, {}) && !rebuild_parts({}, std::vector<std::uint64_t>{10}));
    ck_assert(encode_parity(std::vector<BytesView>(3, BytesView()), 2)->at(0).empty());
}
END_TEST

Suite* redundancy_suite()
{
    return make_suite("redundancy", one_parity_is_the_xor_of_shards_of_any_length,
                      any_loss_within_the_parity_is_rebuilt, every_pair_of_a_group_of_eight_may_be_lost,
                      more_than_the_parity_is_refused_with_numbers, a_part_of_another_length_is_damage,
                      windows_of_long_shards_may_be_encoded_one_by_one, groups_that_cannot_be_are_refused);
}
