#include "recovery/choice.hpp"

#include "base/files.hpp"
#include "base/json.hpp"
#include "tests/unit/recovery/suites.hpp"

using namespace mscale;
using namespace mscale::recovery;

namespace {

constexpr Incarnation first{0, 0}, second{0, 1};

Json read_case(const std::string& name)
{
    return parse_json(read_file(fixture("cases/recovery/" + name)).value(), name).value();
}

CommitRecord record_of(std::uint64_t epoch, std::uint32_t ranks, const Incarnation& run = first)
{
    return {7, run, ranks, epoch, epoch * 10};
}

HeldCopy copy_of(std::uint32_t rank, std::uint64_t epoch, const std::string& node, Tier tier = Tier::memory,
                 const Incarnation& run = first)
{
    return {rank, run, epoch, epoch * 10, node, tier};
}

} // namespace

START_TEST(case_c31_the_newest_step_that_all_ranks_have_is_chosen)
{
    const Json input = read_case("mixed_steps.json");
    const auto ranks = input["ranks"].get<std::uint32_t>();
    std::vector<CommitRecord> records;
    std::vector<HeldCopy> copies;
    for (const auto& [rank, steps] : input["snapshots"].items())
        for (const auto& step : steps) {
            records.push_back({7, first, ranks, step, step});
            copies.push_back(
                {static_cast<std::uint32_t>(std::stoul(rank)), first, step, step, "n" + rank, {}});
        }
    const auto choice = choose_restore(records, copies).value();
    ck_assert(choice.record.step == 100 && choice.sources.size() == ranks);
    ck_assert_uint_eq(choice.passed_over.size(), 1);
    expect_text(choice.passed_over[0], "epoch 110 (step 110): no copy of rank 2");
}
END_TEST

START_TEST(case_c22_the_newest_complete_snapshot_wins_over_a_stale_pointer)
{
    const Json input = read_case("pointer_quota.json");
    std::vector<CommitRecord> records = {{7, first, 1, input["latest"], input["latest"]}};
    std::vector<HeldCopy> copies;
    for (const auto& step : input["complete_dirs"]) {
        records.push_back({7, first, 1, step, step});
        copies.push_back({0, first, step, step, "n1", Tier::spill});
    }
    ck_assert_uint_eq(choose_restore(records, copies)->record.step, 69999);
}
END_TEST

START_TEST(an_epoch_without_a_record_is_no_snapshot)
{
    const auto choice = choose_restore({record_of(1, 1)}, {copy_of(0, 2, "a"), copy_of(0, 1, "b")});
    ck_assert(choice->record.epoch == 1 && choice->sources[0] == std::vector{copy_of(0, 1, "b")});
}
END_TEST

START_TEST(memory_is_preferred_to_the_spill)
{
    const auto choice = choose_restore(
        {record_of(1, 1)}, {copy_of(0, 1, "disk", Tier::spill), copy_of(0, 1, "a"), copy_of(0, 1, "b")});
    ck_assert(choice->sources[0][0].node == "a" && choice->sources[0][1].node == "b");
    ck_assert(choice->sources[0][2].node == "disk");
}
END_TEST

START_TEST(copies_of_two_runs_are_never_mixed)
{
    const std::vector<HeldCopy> copies = {copy_of(0, 2, "a"), copy_of(1, 2, "b", Tier::memory, second),
                                          copy_of(0, 1, "a"), copy_of(1, 1, "b")};
    const auto choice = choose_restore({record_of(1, 2), record_of(2, 2), record_of(2, 2, second)}, copies);
    ck_assert(choice && choice->record == record_of(1, 2) && choice->passed_over.size() == 2);
}
END_TEST

START_TEST(a_later_run_wins_over_a_higher_epoch_of_a_fenced_one)
{
    const auto choice = choose_restore({record_of(12, 1), record_of(11, 1, second)},
                                       {copy_of(0, 12, "a"), copy_of(0, 11, "a", Tier::memory, second)});
    ck_assert(choice->record == record_of(11, 1, second));
}
END_TEST

START_TEST(without_any_snapshot_the_reason_is_said)
{
    const auto none = choose_restore({}, {copy_of(0, 1, "a")});
    ck_assert(!none && none.error().code == Code::no_snapshot);
    expect_text(none.error().text, "no epoch of the job was ever committed");
    const auto gaps =
        choose_restore({record_of(1, 2), record_of(2, 20)}, {copy_of(0, 1, "a"), copy_of(7, 1, "a")});
    ck_assert(!gaps && gaps.error().code == Code::no_snapshot);
    expect_text(gaps.error().text, "epoch 2 (step 20): no copy of rank 0, 1, 2, 3, 4, 5, 6, 7, …; "
                                   "epoch 1 (step 10): no copy of rank 1");
}
END_TEST

Suite* choice_suite()
{
    return make_suite("choice", case_c31_the_newest_step_that_all_ranks_have_is_chosen,
                      case_c22_the_newest_complete_snapshot_wins_over_a_stale_pointer,
                      an_epoch_without_a_record_is_no_snapshot, memory_is_preferred_to_the_spill,
                      copies_of_two_runs_are_never_mixed,
                      a_later_run_wins_over_a_higher_epoch_of_a_fenced_one,
                      without_any_snapshot_the_reason_is_said);
}
