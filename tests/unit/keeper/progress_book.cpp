#include "daemon/keeper/progress_book.hpp"

#include "tests/unit/keeper/suites.hpp"

using namespace mscale::daemon;
using namespace std::chrono_literals;
using mscale::recovery::Owner;

namespace {

Owner rank_of(std::uint32_t rank, std::uint32_t step_id = 0)
{
    return {12, 1000, rank, 4, {0, step_id}};
}

} // namespace

START_TEST(the_slowest_and_the_quickest_rank_are_told)
{
    ProgressBook book;
    ck_assert(book.of(12) == NodeProgress{});
    for (std::uint32_t rank : {0U, 1U}) book.join(rank_of(rank));
    book.reach(rank_of(0), 100);
    book.reach(rank_of(1), 103);
    const NodeProgress progress = book.of(12);
    ck_assert_uint_eq(progress.joined, 2);
    ck_assert(progress.least_step == 100 && progress.greatest_step == 103 && progress.left == 0);
    ck_assert(book.of(13) == NodeProgress{});
}
END_TEST

START_TEST(a_step_that_is_told_again_is_a_sign_of_life)
{
    ProgressBook book;
    for (std::uint32_t rank : {0U, 1U}) book.join(rank_of(rank));
    book.reach(rank_of(0), 100);
    book.reach(rank_of(1), 101);
    ck_assert_uint_eq(book.of(12).signs, 0);
    for (int i = 0; i < 3; ++i) book.reach(rank_of(1), 101);
    ck_assert(book.of(12).signs == 3 && book.of(12).least_step == 100);
    book.reach(rank_of(1), 102);
    ck_assert_uint_eq(book.of(12).signs, 3);
}
END_TEST

START_TEST(a_node_is_restored_when_its_last_rank_is)
{
    ProgressBook book;
    for (std::uint32_t rank : {0U, 1U}) book.join(rank_of(rank));
    book.restore(rank_of(1), 7s);
    ck_assert(book.of(12).restored_at == 0ms);
    book.restore(rank_of(0), 5s);
    ck_assert(book.of(12).restored_at == 7s);
}
END_TEST

START_TEST(who_left_stays_counted_and_who_joins_again_is_new)
{
    ProgressBook book;
    book.join(rank_of(0));
    book.reach(rank_of(0), 9);
    book.leave(rank_of(0));
    ck_assert(book.of(12).left == 1 && book.of(12).joined == 1 && book.of(12).least_step == 9);
    book.join(rank_of(0));
    ck_assert(book.of(12).left == 0 && book.of(12).joined == 1 && book.of(12).least_step == 0);
}
END_TEST

START_TEST(a_newer_run_begins_anew_and_an_older_one_changes_nothing)
{
    ProgressBook book;
    for (std::uint32_t rank : {0U, 1U}) book.join(rank_of(rank));
    book.join(rank_of(1, 1));
    ck_assert(book.of(12).joined == 1 && book.of(12).run.step == 1);
    book.join(rank_of(0, 0));
    book.reach(rank_of(1, 0), 500);
    book.leave(rank_of(1, 0));
    ck_assert(book.of(12).joined == 1 && book.of(12).greatest_step == 0 && book.of(12).left == 0);
    book.forget(12);
    ck_assert(book.of(12) == NodeProgress{});
}
END_TEST

Suite* progress_book_suite()
{
    return make_suite("progress_book", the_slowest_and_the_quickest_rank_are_told,
                      a_step_that_is_told_again_is_a_sign_of_life,
                      a_node_is_restored_when_its_last_rank_is,
                      who_left_stays_counted_and_who_joins_again_is_new,
                      a_newer_run_begins_anew_and_an_older_one_changes_nothing);
}
