// Another number of ranks takes its part of a snapshot.
#include <numeric>

#include "tests/unit/library/suites.hpp"
#include "tests/unit/library/written_states.hpp"

using namespace mscale;
using namespace mscale::library;
using recovery::Extent;
using recovery::ExtentKind;

namespace {

constexpr std::uint64_t rows = 1031, columns = 1021; // of 8 bytes: two chunks and a bit

Extent rows_of(std::uint64_t rank, std::uint64_t ranks)
{
    const std::uint64_t first = rows * rank / ranks, end = rows * (rank + 1) / ranks;
    return {.name = "w", .kind = ExtentKind::tensor, .type = recovery::DataType::i64, .global = {rows, columns},
            .offset = {first, 0}, .shape = {end - first, columns}, .bytes = (end - first) * columns * 8};
}

Extent columns_of(std::uint64_t rank, std::uint64_t ranks)
{
    const std::uint64_t first = columns * rank / ranks, end = columns * (rank + 1) / ranks;
    return {.name = "w", .kind = ExtentKind::tensor, .type = recovery::DataType::i64, .global = {rows, columns},
            .offset = {0, first}, .shape = {rows, end - first}, .bytes = rows * (end - first) * 8};
}

/// The numbers of the elements in a part of the whole.
std::vector<std::uint64_t> numbers_of(const Extent& part)
{
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t row = 0; row < part.shape[0]; ++row)
        for (std::uint64_t column = 0; column < part.shape[1]; ++column)
            numbers.push_back((part.offset[0] + row) * columns + part.offset[1] + column);
    return numbers;
}

WrittenStates cut_in_rows(std::uint64_t ranks)
{
    std::vector<WrittenState> states(ranks);
    for (std::uint64_t rank = 0; rank < ranks; ++rank) {
        states[rank].add("note", ExtentKind::opaque, std::string(rank * 7 + 1, 'x')); // so that no two lie alike
        const std::vector<std::uint64_t> numbers = numbers_of(rows_of(rank, ranks));
        states[rank].add(rows_of(rank, ranks), std::as_bytes(std::span(numbers)));
    }
    return WrittenStates(std::move(states));
}

void expect_numbers(WrittenStates& states, Rank as, const Extent& wanted, std::uint64_t window)
{
    Parts parts = states.parts(as, window);
    std::vector<std::uint64_t> found(wanted.shape[0] * wanted.shape[1]);
    const auto got = parts.get(states.reader(), wanted, std::as_writable_bytes(std::span(found)));
    ck_assert_msg(got.has_value(), "%s", got ? "" : to_line(got.error()).c_str());
    ck_assert(found == numbers_of(wanted));
}

/// Two ranks that say that they share bytes after `before` bytes of their own.
WrittenStates sharing(const std::string& first, const std::string& second, std::size_t before)
{
    std::vector<WrittenState> states(2);
    for (std::size_t rank = 0; rank < 2; ++rank) {
        states[rank].add("own", ExtentKind::opaque, std::string(before, static_cast<char>('a' + rank)));
        states[rank].add("shared", ExtentKind::shared, rank == 0 ? first : second);
    }
    return WrittenStates(std::move(states));
}

Result<void> get_shared(WrittenStates& states, Rank as, std::string& into)
{
    return states.parts(as).get(states.reader(), {.name = "shared", .kind = ExtentKind::shared},
                                std::as_writable_bytes(std::span(into)));
}

START_TEST(any_number_of_ranks_takes_its_rows_and_its_columns_of_what_another_number_wrote)
{
    for (const std::uint64_t writers : {4U, 1U, 3U}) {
        WrittenStates states = cut_in_rows(writers);
        for (const std::uint32_t readers : {2U, 5U})
            for (std::uint32_t rank = 0; rank < readers; ++rank) {
                expect_numbers(states, {rank, readers}, rows_of(rank, readers), 1 << 20);
                expect_numbers(states, {rank, readers}, columns_of(rank, readers), 1 << 22);
            }
    }
}
END_TEST

START_TEST(a_small_window_is_never_passed_and_does_as_well)
{
    WrittenStates states = cut_in_rows(3);
    expect_numbers(states, {1, 2}, rows_of(1, 2), 4096);
    ck_assert_uint_eq(states.most, 4096);
    ck_assert(states.open(4095).error().code == Code::snapshot_room);
}
END_TEST

START_TEST(the_whole_of_what_was_saved_is_listed_once)
{
    WrittenStates states = cut_in_rows(4);
    const Parts parts = states.parts({0, 2});
    ck_assert_uint_eq(parts.extents().size(), 2);
    const Extent& whole = *parts.find("w").value();
    ck_assert(whole.bytes == rows * columns * 8 && whole.shape == whole.global && whole.offset == std::vector<std::uint64_t>(2, 0));
    ck_assert(parts.find("v").error().code == Code::save_order);
}
END_TEST

START_TEST(what_is_opaque_or_was_saved_by_nobody_is_refused_by_its_name)
{
    WrittenStates states = cut_in_rows(4);
    Parts parts = states.parts({0, 2});
    std::vector<std::byte> place(1);
    const auto opaque = parts.get(states.reader(), {.name = "note"}, place);
    ck_assert(opaque.error().code == Code::reshape);
    expect_part(opaque.error().text, "'note': it is opaque: 4 ranks saved it, 2 can't take it");
    ck_assert(parts.get(states.reader(), {.name = "v"}, place).error().code == Code::reshape);
    Extent other = rows_of(0, 2);
    other.type = recovery::DataType::f64;
    ck_assert(parts.get(states.reader(), other, {}).error().code == Code::reshape);
    ck_assert(parts.get(states.reader(), rows_of(0, 2), place).error().code == Code::save_order);
}
END_TEST

START_TEST(what_is_shared_is_any_ranks_and_is_read_once_where_the_checksums_agree)
{
    const std::string bytes(9 << 20, 's');
    WrittenStates states = sharing(bytes, bytes, 64);
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
        std::string into(bytes.size(), '\0');
        states.reads = 0;
        ck_assert(get_shared(states, {rank, 3}, into).has_value());
        ck_assert(into == bytes);
        ck_assert_uint_le(states.reads, 4 + 9 + 1 + 4); // headers and manifests, all chunks once, the first of the other rank
    }
}
END_TEST

START_TEST(what_is_said_to_be_shared_and_is_not_is_refused_by_at_least_one_rank)
{
    const std::string bytes(9 << 20, 's');
    for (const std::size_t at : {std::size_t{0}, std::size_t{5 << 20}, bytes.size() - 1})
        for (const std::size_t before : {std::size_t{64}, std::size_t{0}, std::size_t{4 << 20}}) {
            std::string other = bytes;
            other[at] = 't';
            WrittenStates states = sharing(bytes, other, before);
            unsigned refused = 0;
            for (std::uint32_t rank = 0; rank < 3; ++rank) {
                std::string into(bytes.size(), '\0');
                const auto got = get_shared(states, {rank, 3}, into);
                if (got) continue;
                ++refused;
                expect_part(got.error().text, "'shared': it is said to be shared, but ranks");
            }
            ck_assert_uint_gt(refused, 0);
        }
}
END_TEST

START_TEST(cursors_are_joined_and_split_or_refused)
{
    const recovery::JobCursor begin{10, 2, 5, 1000, 100};
    for (const bool equal : {true, false}) {
        std::vector<WrittenState> states(4);
        for (std::uint32_t rank = 0; rank < 4; ++rank)
            states[rank].add("at", ExtentKind::cursor, recovery::encode_cursor({begin, rank, 4, 8, equal || rank < 3 ? 5U : 6U}));
        WrittenStates written(std::move(states));
        Parts parts = written.parts({1, 2});
        const auto cursor = parts.get_cursor(written.reader(), "at", 16);
        ck_assert(cursor.has_value() == equal);
        if (!equal) ck_assert(cursor.error().code == Code::reshape);
        if (equal) ck_assert((*cursor == recovery::RankCursor{{15, 2, 5, 1000, 260}, 1, 2, 16, 0}));
        if (equal) ck_assert_uint_eq(parts.get_cursor(written.reader(), "at", 0)->batch, 8);
    }
    std::vector<WrittenState> states(2);
    for (WrittenState& state : states) state.add("at", ExtentKind::cursor, std::string(8000, 'c'));
    WrittenStates written(std::move(states));
    ck_assert(written.parts({0, 1}).get_cursor(written.reader(), "at", 0).error().code == Code::snapshot_damaged);
}
END_TEST

} // namespace

Suite* parts_suite()
{
    return make_suite("parts", any_number_of_ranks_takes_its_rows_and_its_columns_of_what_another_number_wrote,
                      a_small_window_is_never_passed_and_does_as_well, the_whole_of_what_was_saved_is_listed_once,
                      what_is_opaque_or_was_saved_by_nobody_is_refused_by_its_name,
                      what_is_shared_is_any_ranks_and_is_read_once_where_the_checksums_agree,
                      what_is_said_to_be_shared_and_is_not_is_refused_by_at_least_one_rank, cursors_are_joined_and_split_or_refused);
}
