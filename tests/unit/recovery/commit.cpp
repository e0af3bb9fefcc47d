#include "recovery/commit.hpp"

#include "base/json.hpp"
#include "tests/unit/recovery/suites.hpp"

using namespace mscale;
using namespace mscale::recovery;

namespace {

constexpr Incarnation run_1{0, 0}, second{0, 1}, third{1, 0};

std::optional<CommitRecord> prepare(CommitBook& book, std::uint32_t rank, std::uint64_t epoch,
                                    const Incarnation& run = run_1)
{
    return book.prepare(run, rank, epoch, epoch * 10).value();
}

Code refusal(CommitBook& book, const Incarnation& run, std::uint32_t rank, std::uint64_t epoch,
             std::uint64_t step)
{
    const auto prepared = book.prepare(run, rank, epoch, step);
    ck_assert(!prepared);
    return prepared.error().code;
}

} // namespace

START_TEST(an_epoch_is_committed_by_its_last_rank)
{
    CommitBook book(7, 3);
    ck_assert(!prepare(book, 2, 1) && !prepare(book, 0, 1) && !prepare(book, 0, 1));
    ck_assert(!book.newest());
    const auto record = prepare(book, 1, 1);
    ck_assert(record == CommitRecord({7, run_1, 3, 1, 10}) && book.newest() == record);
    ck_assert(!prepare(book, 1, 1)); // said again
}
END_TEST

START_TEST(epochs_may_overlap_and_a_newer_one_closes_the_older)
{
    CommitBook book(7, 2);
    ck_assert(!prepare(book, 0, 1) && !prepare(book, 0, 2));
    ck_assert(prepare(book, 1, 1)->epoch == 1);
    ck_assert(prepare(book, 1, 2)->epoch == 2);
    ck_assert(book.abandoned() == 0);
}
END_TEST

START_TEST(an_epoch_that_a_rank_left_out_is_abandoned)
{
    CommitBook book(7, 2);
    ck_assert(!prepare(book, 0, 1) && !prepare(book, 1, 2));
    ck_assert(book.abandoned() == 1);
    ck_assert(!prepare(book, 1, 1)); // too late: rank 0 may have written over it
    ck_assert(!book.newest());
    ck_assert(prepare(book, 0, 2)->epoch == 2);
}
END_TEST

START_TEST(an_epoch_that_is_being_copied_is_committed_though_its_rank_left_out_newer_ones)
{
    CommitBook book(7, 2);
    for (const std::uint32_t rank : {0U, 1U})
        for (const std::uint64_t epoch : {3U, 4U, 5U}) ck_assert(book.skip(run_1, rank, epoch, {1, 2}));
    ck_assert(book.abandoned() == 0);
    ck_assert(!prepare(book, 0, 1) && prepare(book, 1, 1)->epoch == 1);
    ck_assert(!prepare(book, 1, 2) && prepare(book, 0, 2)->epoch == 2);
    ck_assert(!prepare(book, 0, 5) && !prepare(book, 1, 5)); // it said that it never would
}
END_TEST

START_TEST(an_epoch_that_a_rank_skips_is_abandoned_when_no_older_one_can_be_committed)
{
    CommitBook book(7, 2);
    ck_assert(!prepare(book, 0, 1) && book.skip(run_1, 0, 2, {1}));
    ck_assert(book.abandoned() == 0); // rank 1 may still come to epoch 1
    ck_assert(book.skip(run_1, 1, 2, {}));
    ck_assert(book.abandoned() == 2);
    ck_assert(!prepare(book, 0, 3) && prepare(book, 1, 3)->epoch == 3);
}
END_TEST

START_TEST(an_epoch_whose_copy_failed_is_waited_for_by_nobody)
{
    CommitBook book(7, 2);
    ck_assert(!prepare(book, 1, 1) && book.skip(run_1, 0, 2, {1}) && book.abandoned() == 0);
    ck_assert(book.skip(run_1, 0, 1, {}) && book.abandoned() == 2);
    ck_assert(refusal(book, second, 0, 1, 10) == Code::save_order && !book.skip(second, 0, 1, {}));
}
END_TEST

START_TEST(a_rank_holds_no_more_epochs_than_it_has_slots)
{
    CommitBook book(7, 2);
    for (std::uint64_t epoch = 1; epoch <= 1000; ++epoch) ck_assert(!prepare(book, 0, epoch));
    ck_assert(book.abandoned() == 998);
    ck_assert(!prepare(book, 1, 998) && !book.newest());
    ck_assert(prepare(book, 1, 999)->epoch == 999);
    ck_assert(prepare(book, 1, 1000)->epoch == 1000);
}
END_TEST

START_TEST(a_rank_that_goes_backwards_changes_nothing)
{
    CommitBook book(7, 2);
    ck_assert(!prepare(book, 0, 5) && !prepare(book, 0, 3) && !prepare(book, 1, 3));
    ck_assert(!book.newest());
}
END_TEST

START_TEST(ranks_that_saved_different_steps_are_told)
{
    CommitBook book(7, 2);
    ck_assert(!prepare(book, 0, 1));
    ck_assert(refusal(book, run_1, 1, 1, 11) == Code::save_order);
    ck_assert(refusal(book, run_1, 2, 1, 10) == Code::save_order);
    ck_assert(refusal(book, run_1, 0, 0, 0) == Code::save_order);
    ck_assert(prepare(book, 1, 1));
}
END_TEST

START_TEST(a_new_run_fences_the_old_and_voids_what_it_prepared)
{
    CommitBook book(7, 2);
    ck_assert(!prepare(book, 0, 1));
    ck_assert(refusal(book, second, 0, 1, 10) == Code::save_order); // it hasn't begun
    book.begin(second, 2);
    ck_assert(refusal(book, run_1, 1, 1, 10) == Code::fenced);
    ck_assert(!prepare(book, 1, 1, second));
    ck_assert(prepare(book, 0, 1, second)->incarnation == second);
    book.begin(run_1, 9); // late: changes nothing
    ck_assert(refusal(book, run_1, 1, 2, 20) == Code::fenced);
}
END_TEST

START_TEST(a_new_run_may_have_another_size)
{
    CommitBook book(7, 4);
    book.begin(third, 2);
    ck_assert(!prepare(book, 0, 1, third));
    ck_assert(prepare(book, 1, 1, third)->ranks == 2);
}
END_TEST

START_TEST(a_run_that_went_on_from_an_older_epoch_counts_anew)
{
    CommitBook book(7, 1);
    ck_assert(prepare(book, 0, 12));
    book.begin(second, 1); // 12 turned out damaged: it went on from 10
    ck_assert(prepare(book, 0, 11, second)->epoch == 11);
    ck_assert(book.newest()->incarnation == second);
}
END_TEST

START_TEST(a_record_of_another_node_is_taken_when_it_is_newer)
{
    CommitBook book(7, 2);
    ck_assert(!prepare(book, 0, 3));
    book.adopt({8, run_1, 2, 9, 90}); // of another job
    ck_assert(!book.newest());
    book.adopt({7, run_1, 2, 3, 30});
    book.adopt({7, run_1, 2, 2, 20});
    ck_assert(book.newest()->epoch == 3 && !prepare(book, 1, 3));
    book.adopt({7, third, 2, 1, 10}); // a later run
    ck_assert(book.newest()->incarnation == third);
    ck_assert(refusal(book, run_1, 0, 4, 40) == Code::fenced);
    book.adopt({7, second, 2, 99, 990});
    ck_assert(book.newest()->epoch == 1);
}
END_TEST

START_TEST(a_record_reads_back_and_a_wrong_one_is_refused)
{
    const CommitRecord record{7, third, 4, 1ull << 40, 1ull << 50};
    ck_assert(commit_from_json(to_json(record), "x").value() == record);
    for (const auto& [key, value] : {std::pair<const char*, Json>{"ranks", 0},
                                     {"ranks", 1 << 21},
                                     {"epoch", 0},
                                     {"job", 1ull << 32},
                                     {"step", -1},
                                     {"step", 1.5},
                                     {"restarts", "1"},
                                     {"step_id", nullptr}}) {
        Json json = to_json(record);
        json[key] = value;
        ck_assert(!commit_from_json(json, "x"));
        json.erase(key);
        ck_assert(!commit_from_json(json, "x"));
    }
    ck_assert(!commit_from_json(Json(5), "x") && !commit_from_json(Json::array(), "x"));
}
END_TEST

Suite* commit_suite()
{
    return make_suite(
        "commit", an_epoch_is_committed_by_its_last_rank, epochs_may_overlap_and_a_newer_one_closes_the_older,
        an_epoch_that_a_rank_left_out_is_abandoned,
        an_epoch_that_is_being_copied_is_committed_though_its_rank_left_out_newer_ones,
        an_epoch_that_a_rank_skips_is_abandoned_when_no_older_one_can_be_committed,
        an_epoch_whose_copy_failed_is_waited_for_by_nobody, a_rank_holds_no_more_epochs_than_it_has_slots,
        a_rank_that_goes_backwards_changes_nothing, ranks_that_saved_different_steps_are_told,
        a_new_run_fences_the_old_and_voids_what_it_prepared, a_new_run_may_have_another_size,
        a_run_that_went_on_from_an_older_epoch_counts_anew,
        a_record_of_another_node_is_taken_when_it_is_newer, a_record_reads_back_and_a_wrong_one_is_refused);
}
