// The names of a spill directory, what they tell, what may go, and which commits are written.
#include "recovery/spill_book.hpp"
#include "recovery/spill_file.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "tests/unit/check.hpp"
#include "tests/unit/recovery/suites.hpp"

using namespace mscale;
using namespace mscale::recovery;

namespace {

constexpr std::uint32_t job = 4711;

CommitRecord record_of(std::uint64_t epoch, Incarnation run = {0, 1}, std::uint32_t ranks = 2)
{
    return {job, run, ranks, epoch, epoch * 100};
}

std::string file_of(std::uint64_t epoch, std::uint32_t rank, Incarnation run = {0, 1})
{
    return name_snapshot({record_of(epoch, run), rank});
}

/// Both ranks' files and the manifest.
std::vector<std::string> whole_epochs(std::vector<CommitRecord> records)
{
    std::vector<std::string> names = {".", "..", "notes.txt"};
    for (const CommitRecord& record : records) {
        names.push_back(name_snapshot({record, 0}));
        names.push_back(name_snapshot({record, 1}));
        names.push_back(name_manifest(record));
    }
    return names;
}

} // namespace

START_TEST(a_name_tells_all_of_a_snapshot_but_its_job)
{
    const SpillFile file{{job, {3, 7}, 8, 12, 1200}, 5};
    expect_text(name_snapshot(file), "run-3.7-epoch-12-step-1200-rank-5-of-8.snapshot");
    ck_assert(parse_snapshot(name_snapshot(file), job) == file);
    expect_text(name_manifest(file.record), "run-3.7-epoch-12-step-1200-of-8.json");
    ck_assert(parse_manifest(name_manifest(file.record), job) == file.record);
}
END_TEST

START_TEST(a_name_of_another_form_is_none_of_ours)
{
    for (const char* name :
         {"", ".", "run-0.1-epoch-1-step-1-rank-0-of-2", "run-0.1-epoch-0-step-1-rank-0-of-2.snapshot",
          "run-0.1-epoch-1-step-1-rank-2-of-2.snapshot", "run-00.1-epoch-1-step-1-rank-0-of-2.snapshot",
          "run-0.1-epoch-1-step-1-rank-0-of-0.snapshot", "run-0.1-epoch-1-step-1-rank--1-of-2.snapshot",
          "run-4294967296.1-epoch-1-step-1-rank-0-of-2.snapshot", "run-0.1-epoch-1-step-1-rank-0-of-2.snapshot~",
          "run-0.1-epoch-18446744073709551616-step-1-rank-0-of-2.snapshot",
          "../run-0.1-epoch-1-step-1-rank-0-of-2.snapshot", "run-0.1-epoch-1-step-1-rank-0-of-1048577.snapshot",
          ".run-0.1-epoch-1-step-1-rank-0-of-2.snapshot.n1.part"})
        ck_assert_msg(!parse_snapshot(name, job), "%s was read", name);
}
END_TEST

START_TEST(the_newest_two_whole_epochs_are_kept)
{
    auto names = whole_epochs({record_of(10), record_of(20), record_of(30)});
    names.push_back(file_of(15, 0));
    names.push_back(name_unfinished(file_of(10, 1), "n1"));
    auto pruned = choose_pruned(names, job);
    std::vector<std::string> wanted = {file_of(10, 0), file_of(10, 1), name_manifest(record_of(10)), file_of(15, 0),
                                       name_unfinished(file_of(10, 1), "n1")};
    std::ranges::sort(pruned);
    std::ranges::sort(wanted);
    ck_assert(pruned == wanted);
}
END_TEST

START_TEST(an_epoch_without_its_manifest_takes_the_place_of_none)
{
    auto names = whole_epochs({record_of(10), record_of(20)});
    names.push_back(file_of(30, 0));
    ck_assert(choose_pruned(names, job).empty());
    ck_assert(choose_pruned(whole_epochs({record_of(10)}), job).empty());
}
END_TEST

START_TEST(a_fenced_run_removes_nothing_of_a_newer_one_however_far_it_counts)
{
    auto names = whole_epochs({record_of(10, {1, 0}), record_of(11, {1, 0}), record_of(900, {0, 5})});
    for (const std::string& name : choose_pruned(names, job))
        ck_assert_msg(name.starts_with("run-0.5-epoch-900"), "%s", name.c_str());
    ck_assert(file_of(11, 0, {1, 0}) != file_of(11, 0, {0, 5}));
}
END_TEST

START_TEST(epochs_are_listed_newest_first_with_the_ranks_that_are_there)
{
    const auto epochs = list_spilled({file_of(10, 1), file_of(900, 0, {0, 0}), file_of(20, 1), file_of(20, 0), "x",
                                      name_manifest(record_of(30))}, job);
    ck_assert_uint_eq(epochs.size(), 3);
    ck_assert(epochs[0] == (SpilledEpoch{record_of(20), {0, 1}}));
    ck_assert(epochs[1] == (SpilledEpoch{record_of(10), {1}}));
    ck_assert(epochs[2] == (SpilledEpoch{record_of(900, {0, 0}), {0}}));
}
END_TEST

START_TEST(a_list_of_thousands_of_ranks_is_short_and_reads_back)
{
    SpilledEpoch epoch{{job, {0, 0}, 8192, 3, 30}, {}};
    for (std::uint32_t rank = 0; rank < 8192; ++rank)
        if (rank != 77) epoch.ranks.push_back(rank);
    const Json json = to_json(epoch);
    ck_assert_uint_lt(json.dump().size(), 200);
    ck_assert(spilled_from_json(json, "x").value() == epoch);
}
END_TEST

START_TEST(a_list_with_a_rank_too_many_is_refused)
{
    for (const char* held : {"[[0,2]]", "[[1,0]]", "[[0,0],[0,1]]", "[0]", "[[0]]", "[[-1,0]]", "[[0,4294967296]]", "{}", "7"}) {
        Json json = to_json(SpilledEpoch{record_of(1), {}});
        json["held"] = Json::parse(held);
        ck_assert_msg(!spilled_from_json(json, "x"), "%s was read", held);
    }
}
END_TEST

START_TEST(every_third_commit_is_written)
{
    SpillBook book;
    unsigned written = 0;
    for (std::uint64_t epoch = 1; epoch <= 9; ++epoch) {
        if (!book.commit(record_of(epoch), 3)) continue;
        ++written;
        ck_assert_uint_eq(epoch % 3, 0);
        ck_assert(!book.written(record_of(epoch), {0}));
        ck_assert(!book.written(record_of(epoch), {0, 5}));
        ck_assert(book.written(record_of(epoch), {1}));
    }
    ck_assert_uint_eq(written, 3);
}
END_TEST

START_TEST(what_failed_is_made_up_for_by_the_next_commit)
{
    SpillBook book;
    ck_assert(!book.commit(record_of(1), 2));
    ck_assert(book.commit(record_of(2), 2));
    ck_assert(!book.commit(record_of(3), 2)); // the second is still being written
    book.failed(record_of(2));
    ck_assert(!book.written(record_of(2), {0, 1}));
    ck_assert(book.commit(record_of(4), 2));
}
END_TEST

START_TEST(a_node_that_says_nothing_holds_later_epochs_up_for_a_while_only)
{
    SpillBook book;
    ck_assert(book.commit(record_of(1), 1));
    std::uint64_t epoch = 2;
    while (!book.commit(record_of(epoch), 1)) ck_assert_uint_lt(++epoch, 20);
    ck_assert(book.commit(record_of(1, {0, 2}), 1)); // and a newer run at once
}
END_TEST

Suite* spill_suite()
{
    return make_suite("spill", a_name_tells_all_of_a_snapshot_but_its_job, a_name_of_another_form_is_none_of_ours,
                      the_newest_two_whole_epochs_are_kept, an_epoch_without_its_manifest_takes_the_place_of_none,
                      a_fenced_run_removes_nothing_of_a_newer_one_however_far_it_counts,
                      epochs_are_listed_newest_first_with_the_ranks_that_are_there,
                      a_list_of_thousands_of_ranks_is_short_and_reads_back, a_list_with_a_rank_too_many_is_refused,
                      every_third_commit_is_written, what_failed_is_made_up_for_by_the_next_commit,
                      a_node_that_says_nothing_holds_later_epochs_up_for_a_while_only);
}
