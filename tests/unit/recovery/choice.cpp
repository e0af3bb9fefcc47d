#include "recovery/choice.hpp"

#include <algorithm>

#include "base/files.hpp"
#include "base/json.hpp"
#include "recovery/checksum.hpp"
#include "tests/unit/recovery/samples.hpp"
#include "tests/unit/recovery/suites.hpp"

using namespace mscale;
using namespace mscale::recovery;

namespace {

constexpr Incarnation first_run{0, 0}, second_run{0, 1};

Json read_case(const std::string& name)
{
    return parse_json(read_file(fixture("cases/recovery/" + name)).value(), name).value();
}

CommitRecord record_of(std::uint64_t epoch, std::uint32_t ranks, const Incarnation& run = first_run)
{
    return {7, run, ranks, epoch, epoch * 10};
}

HeldCopy copy_of(std::uint32_t rank, std::uint64_t epoch, const std::string& node, Tier tier = Tier::memory,
                 const Incarnation& run = first_run)
{
    return {rank, run, epoch, epoch * 10, node, tier};
}

/// One rank's snapshot of a step on one node, of which `have` bytes came over.
Segment write_replica(const Json& replica)
{
    const std::uint64_t bytes = replica["bytes"], have = replica["have"];
    Segment segment(bytes);
    Random random(replica["step"]);
    std::ranges::copy(random_bytes(random, bytes), segment.view().data(0).begin());
    Manifest manifest;
    manifest.data_bytes = bytes;
    manifest.extents = {{.name = "model", .bytes = bytes}};
    manifest.chunks = crc32c_chunks(segment.view().data(0).first(bytes));
    const SlotHeader header{.owner = sample_owner(), .epoch = replica["step"], .step = replica["step"]};
    ck_assert(seal_slot(segment.view(), 0, header, manifest));
    std::ranges::fill(segment.view().data(0).subspan(have), std::byte(0));
    return segment;
}

} // namespace

START_TEST(case_c23_a_torn_copy_is_told_and_the_older_whole_one_is_used)
{
    const Json input = read_case("torn_write.json");
    std::vector<CommitRecord> records;
    std::vector<HeldCopy> copies;
    std::vector<std::string> torn;
    for (const Json& replica : input["replicas"]) {
        Segment segment = write_replica(replica);
        const SealedSlot sealed = read_slot(segment.view(), 0, sample_owner()).value().value();
        records.push_back({7, sealed.header.owner.incarnation, 1, sealed.header.epoch, sealed.header.step});
        const auto verified = verify_data(segment.view().data(0), sealed.manifest);
        if (verified)
            copies.push_back({0,
                              records.back().incarnation,
                              sealed.header.epoch,
                              sealed.header.step,
                              replica["node"],
                              {}});
        else
            torn.push_back(verified.error().text);
    }
    const auto choice = choose_restore(records, copies).value();
    ck_assert(choice.record.step == 1200 && choice.sources[0][0].node == "n2");
    expect_text(choice.passed_over.at(0), "epoch 1300 (step 1300): no copy of rank 0");
    expect_text(torn.at(0), "chunk 0 of 1 ('model') isn't what was saved");
}
END_TEST

START_TEST(case_c31_the_newest_step_that_all_ranks_have_is_chosen)
{
    const Json input = read_case("mixed_steps.json");
    const auto ranks = input["ranks"].get<std::uint32_t>();
    std::vector<CommitRecord> records;
    std::vector<HeldCopy> copies;
    for (const auto& [rank, steps] : input["snapshots"].items())
        for (const auto& step : steps) {
            records.push_back({7, first_run, ranks, step, step});
            copies.push_back(
                {static_cast<std::uint32_t>(std::stoul(rank)), first_run, step, step, "n" + rank, {}});
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
    std::vector<CommitRecord> records = {{7, first_run, 1, input["latest"], input["latest"]}};
    std::vector<HeldCopy> copies;
    for (const auto& step : input["complete_dirs"]) {
        records.push_back({7, first_run, 1, step, step});
        copies.push_back({0, first_run, step, step, "n1", Tier::spill});
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
    const std::vector<HeldCopy> copies = {copy_of(0, 2, "a"), copy_of(1, 2, "b", Tier::memory, second_run),
                                          copy_of(0, 1, "a"), copy_of(1, 1, "b")};
    const auto choice = choose_restore({record_of(1, 2), record_of(2, 2), record_of(2, 2, second_run)}, copies);
    ck_assert(choice && choice->record == record_of(1, 2) && choice->passed_over.size() == 2);
}
END_TEST

START_TEST(a_later_run_wins_over_a_higher_epoch_of_a_fenced_one)
{
    const auto choice = choose_restore({record_of(12, 1), record_of(11, 1, second_run)},
                                       {copy_of(0, 12, "a"), copy_of(0, 11, "a", Tier::memory, second_run)});
    ck_assert(choice->record == record_of(11, 1, second_run));
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
    return make_suite("choice", case_c23_a_torn_copy_is_told_and_the_older_whole_one_is_used,
                      case_c31_the_newest_step_that_all_ranks_have_is_chosen,
                      case_c22_the_newest_complete_snapshot_wins_over_a_stale_pointer,
                      an_epoch_without_a_record_is_no_snapshot, memory_is_preferred_to_the_spill,
                      copies_of_two_runs_are_never_mixed,
                      a_later_run_wins_over_a_higher_epoch_of_a_fenced_one,
                      without_any_snapshot_the_reason_is_said);
}
