#include "recovery/reshard.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "recovery/boxes.hpp"
#include "recovery/checksum.hpp"
#include "tests/unit/recovery/samples.hpp"
#include "tests/unit/recovery/suites.hpp"

using namespace mscale;
using namespace mscale::recovery;

namespace {

using Axes = std::vector<std::uint64_t>;

/// A rank's snapshot and the bytes of its slot.
struct Written {
    std::vector<Manifest> manifests;
    std::vector<std::vector<std::byte>> data;
};

Extent part_of(const Axes& global, const Axes& low, const Axes& high, DataType type = DataType::u8)
{
    Extent part{.name = "w", .kind = ExtentKind::tensor, .type = type, .global = global, .offset = low};
    part.bytes = size_of(type);
    for (std::size_t axis = 0; axis < global.size(); ++axis) {
        part.shape.push_back(high[axis] - low[axis]);
        part.bytes *= part.shape.back();
    }
    return part;
}

/// Cuts boxes at random until there are about `count`.
std::vector<Extent> cut_tensor(Random& random, const Axes& global, std::size_t count, DataType type)
{
    std::vector<Box> boxes = {{Axes(global.size(), 0), global}};
    for (std::size_t tries = 0; tries < 3 * count && boxes.size() < count && !global.empty(); ++tries) {
        const std::size_t box = pick(random, boxes.size() - 1), axis = pick(random, global.size() - 1);
        const std::uint64_t low = boxes[box].low[axis], high = boxes[box].high[axis];
        if (high - low < 2) continue;
        const std::uint64_t cut = low + 1 + pick(random, high - low - 2);
        Box rest = boxes[box];
        boxes[box].high[axis] = rest.low[axis] = cut;
        boxes.push_back(std::move(rest));
    }
    std::vector<Extent> parts;
    for (const Box& box : boxes) parts.push_back(part_of(global, box.low, box.high, type));
    return parts;
}

/// The number of an element in the whole tensor, by its place in a part.
std::uint64_t number_of(const Extent& part, std::uint64_t place)
{
    std::uint64_t number = 0, stride = 1;
    for (std::size_t axis = part.shape.size(); axis-- > 0;) {
        number += (part.offset[axis] + place % part.shape[axis]) * stride;
        place /= part.shape[axis];
        stride *= part.global[axis];
    }
    return number;
}

Manifest manifest_of(Extent part, std::uint64_t at)
{
    part.at = at;
    Manifest manifest{at + part.bytes, {part}, {}};
    manifest.chunks.resize((manifest.data_bytes + chunk_bytes - 1) / chunk_bytes);
    return manifest;
}

/// Each rank writes the elements' own numbers, after a few other bytes.
Written write_parts(Random& random, const std::vector<Extent>& parts)
{
    Written written;
    for (const Extent& part : parts) {
        const std::uint64_t at = pick(random, 20), size = size_of(part.type);
        written.manifests.push_back(manifest_of(part, at));
        ck_assert(check_manifest(written.manifests.back()));
        auto& data = written.data.emplace_back(at + part.bytes);
        for (std::uint64_t i = 0; i < part.bytes / size; ++i) {
            const std::uint64_t number = number_of(part, i);
            std::memcpy(data.data() + at + i * size, &number, std::min<std::uint64_t>(size, 8));
        }
    }
    return written;
}

void expect_filled(const Written& written, const Extent& wanted, const ReadPlan& plan)
{
    std::vector<std::byte> bytes(wanted.bytes);
    std::vector<unsigned> filled(wanted.bytes);
    for (const ReadPiece& piece : plan.pieces)
        for (std::uint64_t run = 0; run < piece.count; ++run)
            for (std::uint64_t i = 0; i < piece.bytes; ++i) {
                const std::uint64_t to = piece.to + run * piece.to_stride + i;
                ck_assert(to < bytes.size() && ++filled[to] == 1);
                bytes[to] = written.data[piece.rank].at(piece.from + run * piece.from_stride + i);
            }
    ck_assert(std::ranges::count(filled, 1u) == static_cast<std::ptrdiff_t>(wanted.bytes));
    const std::uint64_t size = size_of(wanted.type);
    for (std::uint64_t i = 0; i < wanted.bytes / size; ++i) {
        const std::uint64_t number = number_of(wanted, i);
        ck_assert(std::memcmp(bytes.data() + i * size, &number, std::min<std::uint64_t>(size, 8)) == 0);
    }
}

std::string refusal(const std::vector<Extent>& parts, const Extent& wanted, std::uint32_t ranks = 1)
{
    std::vector<Manifest> manifests;
    for (const Extent& part : parts) manifests.push_back(manifest_of(part, 0));
    const auto plan = plan_read(manifests, wanted, 0, ranks);
    ck_assert(!plan && plan.error().code == Code::reshape);
    return plan.error().text;
}

Extent plain(ExtentKind kind, std::uint64_t bytes)
{
    return {.name = "w", .kind = kind, .bytes = bytes};
}

} // namespace

START_TEST(any_parts_are_filled_from_any_other_parts)
{
    Random random(11);
    for (int round = 0; round < 300; ++round) {
        const DataType type =
            std::array{DataType::u8, DataType::i16, DataType::f32, DataType::complex128}[pick(random, 3)];
        Axes global(pick(random, 4));
        for (auto& axis : global) axis = 1 + pick(random, 8);
        if (volume_of({Axes(global.size(), 0), global}) > 255) continue; // the numbers fit the smallest type
        const Written written = write_parts(random, cut_tensor(random, global, 1 + pick(random, 7), type));
        const auto wanted = cut_tensor(random, global, 1 + pick(random, 7), type);
        for (std::uint32_t rank = 0; rank < wanted.size(); ++rank) {
            const auto plan =
                plan_read(written.manifests, wanted[rank], rank, static_cast<std::uint32_t>(wanted.size()));
            ck_assert_msg(plan.has_value(), "%s", plan ? "" : plan.error().text.c_str());
            expect_filled(written, wanted[rank], *plan);
        }
    }
}
END_TEST

START_TEST(the_same_part_is_one_run_and_a_column_is_one_piece)
{
    const Extent whole = part_of({100, 10, 4}, {0, 0, 0}, {100, 10, 4}, DataType::f32);
    const std::vector<Manifest> written = {manifest_of(whole, 64)};
    const auto same = plan_read(written, whole, 0, 1).value();
    ck_assert(same == ReadPlan({{{.rank = 0, .from = 64, .to = 0, .bytes = 16000}}, 16000, false}));
    const auto column =
        plan_read(written, part_of({100, 10, 4}, {0, 5, 0}, {100, 6, 4}, DataType::f32), 0, 2).value();
    const ReadPiece wanted{
        .from = 64 + 80, .to = 0, .bytes = 16, .count = 100, .from_stride = 160, .to_stride = 16};
    ck_assert(column.pieces == std::vector{wanted} && column.bytes == 1600);
}
END_TEST

START_TEST(of_equal_parts_the_own_is_read_and_others_are_spread)
{
    const Extent whole = part_of({8}, {0}, {8});
    const std::vector<Manifest> written(3, manifest_of(whole, 0));
    for (std::uint32_t rank = 0; rank < 6; ++rank)
        ck_assert_uint_eq(plan_read(written, whole, rank, 6)->pieces[0].rank, rank % 3);
}
END_TEST

START_TEST(an_empty_part_needs_no_bytes)
{
    const Extent empty = part_of({8, 4}, {8, 0}, {8, 4});
    ck_assert(
        plan_read(std::vector{manifest_of(part_of({8, 4}, {0, 0}, {8, 4}), 0)}, empty, 0, 1)->pieces.empty());
}
END_TEST

START_TEST(what_does_not_fill_it_exactly_is_refused_with_the_reason)
{
    const Extent wanted = part_of({8}, {0}, {8});
    expect_text(refusal({part_of({8}, {0}, {3}), part_of({8}, {4}, {8})}, wanted),
                "'w': 1 of its 8 elements were saved by no rank");
    expect_text(refusal({part_of({8}, {0}, {5}), part_of({8}, {4}, {8})}, wanted),
                "'w': the parts of ranks 0 and 1 overlap without being the same");
    expect_text(refusal({part_of({8}, {0}, {8}, DataType::i8)}, wanted),
                "'w': rank 0 saved it with another type");
    expect_text(refusal({part_of({9}, {0}, {8})}, wanted), "'w': rank 0 saved it with another global shape");
    expect_text(refusal({plain(ExtentKind::shared, 8)}, wanted), "'w': rank 0 saved it as another kind");
    expect_text(refusal({}, wanted), "'w': none of 0 ranks saved it");
    Extent wrong = wanted;
    wrong.offset = {1};
    ck_assert(refusal({wanted}, wrong).find("pass 8") != std::string::npos);
    wrong.offset = {};
    ck_assert(refusal({wanted}, wrong).find("axes") != std::string::npos);
}
END_TEST

START_TEST(overlaps_outside_of_what_is_wanted_do_not_matter)
{
    const std::vector<Manifest> written = {manifest_of(part_of({8}, {0}, {6}), 0),
                                           manifest_of(part_of({8}, {5}, {8}), 0)};
    ck_assert(plan_read(written, part_of({8}, {0}, {4}), 0, 2) &&
              plan_read(written, part_of({8}, {6}, {8}), 1, 2));
}
END_TEST

START_TEST(opaque_bytes_go_back_to_the_same_rank_of_as_many_only)
{
    const Extent wanted = plain(ExtentKind::opaque, 0);
    const std::vector<Manifest> written = {manifest_of(plain(ExtentKind::opaque, 10), 4),
                                           manifest_of(plain(ExtentKind::opaque, 20), 8)};
    const auto plan = plan_read(written, wanted, 1, 2).value();
    ck_assert(plan.pieces == std::vector<ReadPiece>({{.rank = 1, .from = 8, .bytes = 20}}) &&
              plan.bytes == 20);
    expect_text(plan_read(written, wanted, 0, 3).error().text,
                "'w': it is opaque: 2 ranks saved it, 3 can't take it");
}
END_TEST

START_TEST(shared_bytes_are_read_from_one_rank)
{
    const Extent wanted = plain(ExtentKind::shared, 0);
    const std::vector<Extent> parts(3, plain(ExtentKind::shared, 10));
    std::vector<Manifest> written;
    for (const Extent& part : parts) written.push_back(manifest_of(part, 0));
    ck_assert_uint_eq(plan_read(written, wanted, 4, 5)->pieces.at(0).rank, 1);
    ck_assert(
        refusal({plain(ExtentKind::shared, 10), plain(ExtentKind::shared, 11)}, wanted).find("10 and rank") ==
        std::string::npos);
}
END_TEST

START_TEST(cursors_of_all_ranks_are_read_when_their_number_changes)
{
    const Extent wanted = plain(ExtentKind::cursor, 0);
    std::vector<Manifest> written(2, manifest_of(plain(ExtentKind::cursor, 64), 16));
    const auto own = plan_read(written, wanted, 1, 2).value(), all = plan_read(written, wanted, 0, 3).value();
    ck_assert(!own.is_cursors && own.pieces.size() == 1 && own.pieces[0].rank == 1);
    ck_assert(all.is_cursors && all.pieces.size() == 2 && all.bytes == 128 && all.pieces[1].to == 64);
    written[1].extents.clear();
    expect_text(plan_read(written, wanted, 0, 3).error().text, "'w': 1 of 2 ranks saved where they stood");
}
END_TEST

START_TEST(a_plan_never_grows_without_bound)
{
    const Axes global = {2000, 2000, 2, 2};
    const std::vector<Manifest> written = {manifest_of(part_of(global, {0, 0, 0, 0}, global), 0)};
    const auto plan = plan_read(written, part_of(global, {0, 0, 0, 0}, {2000, 2000, 2, 1}), 0, 2);
    ck_assert(!plan && plan.error().code == Code::reshape);
}
END_TEST

Suite* reshard_suite()
{
    return make_suite(
        "reshard", any_parts_are_filled_from_any_other_parts,
        the_same_part_is_one_run_and_a_column_is_one_piece,
        of_equal_parts_the_own_is_read_and_others_are_spread, an_empty_part_needs_no_bytes,
        what_does_not_fill_it_exactly_is_refused_with_the_reason,
        overlaps_outside_of_what_is_wanted_do_not_matter,
        opaque_bytes_go_back_to_the_same_rank_of_as_many_only, shared_bytes_are_read_from_one_rank,
        cursors_of_all_ranks_are_read_when_their_number_changes, a_plan_never_grows_without_bound);
}
