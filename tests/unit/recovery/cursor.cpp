#include "recovery/cursor.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "base/files.hpp"
#include "base/json.hpp"
#include "tests/unit/recovery/samples.hpp"
#include "tests/unit/recovery/suites.hpp"

using namespace mscale;
using namespace mscale::recovery;

namespace {

Json read_cursor_case(const std::string& name)
{
    return parse_json(read_file(fixture("cases/recovery/" + name)).value(), name).value();
}

/// All ranks of a job train one step; each sample that was used is counted by epoch.
using Ledger = std::map<std::uint64_t, std::map<std::uint64_t, unsigned>>;
void train(std::vector<RankCursor>& cursors, Ledger& ledger)
{
    for (RankCursor& cursor : cursors) {
        const SampleRange range = next_samples(cursor);
        for (std::uint64_t sample = range.begin; sample < range.end; ++sample)
            ++ledger[cursor.begin.epoch][sample];
        finish_step(cursor);
    }
}

std::string refusal(const std::vector<RankCursor>& cursors)
{
    const auto job = join_cursors(cursors);
    ck_assert(!job && job.error().code == Code::reshape);
    return job.error().text;
}

} // namespace

START_TEST(case_c12_a_smaller_or_larger_world_goes_on_at_the_next_sample)
{
    const Json input = read_cursor_case("world_shrink.json");
    const std::uint32_t batch = input["batch"];
    JobCursor job{.samples = input["samples"]};
    auto old = split_cursor(job, input["old_world"], batch).value();
    Ledger ledger;
    train(old, ledger);
    ck_assert_uint_eq(ledger[0].size(), input["trained"].size());
    for (const auto& sample : input["trained"]) ck_assert(ledger[0].contains(sample));
    const auto young = split_cursor(join_cursors(old).value(), input["new_world"], batch).value();
    ck_assert(next_samples(young[0]) == SampleRange({4, 8}) &&
              next_samples(young[1]) == SampleRange({8, 12}));
}
END_TEST

START_TEST(case_c14_after_the_last_step_of_an_epoch_comes_the_first_of_the_next)
{
    const Json input = read_cursor_case("epoch_boundary.json");
    auto cursors = split_cursor({.samples = input["dataset"]}, 1, input["global_batch"]).value();
    Ledger ledger;
    for (int step = 0; step < input["saved_after_step"]; ++step) train(cursors, ledger);
    RankCursor restored = decode_cursor(encode_cursor(cursors[0])).value();
    ck_assert(restored.begin.epoch == 1 && next_samples(restored) == SampleRange({0, 8}));
    cursors = {restored};
    for (int step = 0; step < input["saved_after_step"]; ++step) train(cursors, ledger);
    ck_assert(ledger.size() == input["epochs"] && cursors[0].begin.epoch == 2 && cursors[0].begin.step == 16);
    for (const auto& [epoch, samples] : ledger) ck_assert_uint_eq(samples.size(), 64);
}
END_TEST

START_TEST(case_c15_what_workers_have_fetched_ahead_does_not_count)
{
    const Json input = read_cursor_case("mid_epoch_prefetch.json");
    const std::uint64_t trained = input["trained"], fetched = input["fetched_by_workers"];
    const std::uint32_t batch = input["batch"];
    RankCursor cursor = split_cursor({.samples = 100000}, 1, batch).value()[0];
    for (std::uint64_t i = 0; i < trained; i += batch) finish_step(cursor);
    const std::uint64_t ahead =
        input["workers"].get<std::uint64_t>() * input["prefetch"].get<std::uint64_t>();
    ck_assert_uint_eq(next_samples(cursor, ahead - 1).end, fetched);
    const RankCursor restored = decode_cursor(encode_cursor(cursor)).value();
    ck_assert(next_samples(restored) == SampleRange({trained, trained + batch}));
}
END_TEST

START_TEST(case_c16_loading_twice_is_loading_once)
{
    const Json input = read_cursor_case("double_step.json");
    RankCursor cursor = split_cursor({.samples = 100000}, 1, 1).value()[0];
    for (int step = 0; step < input["restored_step"]; ++step) finish_step(cursor);
    const std::string saved = encode_cursor(cursor);
    RankCursor restored;
    for (int call = 0; call < input["loader_called"]; ++call) restored = decode_cursor(saved).value();
    ck_assert(join_cursors(std::vector{restored})->step == 200);
    restored = split_cursor(*join_cursors(std::vector{restored}), 1, 1).value()[0];
    ck_assert(join_cursors(std::vector{restored})->step == 200);
    finish_step(restored);
    ck_assert(join_cursors(std::vector{restored})->step == 201);
}
END_TEST

START_TEST(any_change_of_ranks_at_any_step_loses_and_repeats_no_sample)
{
    Random random(10);
    for (int round = 0; round < 200; ++round) {
        const std::uint64_t samples = 1 + pick(random, 200);
        JobCursor job{.seed = 5, .samples = samples};
        Ledger ledger;
        while (job.epoch < 3) {
            const auto ranks = static_cast<std::uint32_t>(1 + pick(random, 6));
            auto cursors = split_cursor(job, ranks, static_cast<std::uint32_t>(1 + pick(random, 9))).value();
            for (std::uint64_t steps = pick(random, 6); steps > 0; --steps) train(cursors, ledger);
            for (RankCursor& cursor : cursors) cursor = decode_cursor(encode_cursor(cursor)).value();
            std::ranges::shuffle(cursors, random);
            job = join_cursors(cursors).value();
        }
        for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
            ck_assert_uint_eq(ledger[epoch].size(), samples);
            for (const auto& [sample, used] : ledger[epoch]) ck_assert(sample < samples && used == 1);
        }
    }
}
END_TEST

START_TEST(fetching_ahead_ends_with_the_epoch)
{
    const RankCursor cursor = split_cursor({.samples = 10}, 2, 3).value()[1];
    ck_assert(next_samples(cursor, 0) == SampleRange({3, 6}) &&
              next_samples(cursor, 1) == SampleRange({9, 10}));
    ck_assert(next_samples(cursor, 2) == SampleRange({10, 10}));
    ck_assert(next_samples(cursor, std::numeric_limits<std::uint64_t>::max()) == SampleRange({10, 10}));
}
END_TEST

START_TEST(cursors_that_do_not_fit_together_are_refused_with_the_reason)
{
    const auto whole = split_cursor({.step = 9, .seed = 1, .samples = 100}, 3, 4).value();
    auto cursors = whole;
    ck_assert(join_cursors(cursors)->step == 9);
    finish_step(cursors[2]);
    expect_text(refusal(cursors), "sample cursors: rank 2 trained 1 batches, rank 0 0");
    cursors = whole;
    cursors[1].begin.seed = 2;
    ck_assert(refusal(cursors).find("rank 1 counts another way than rank 0") != std::string::npos);
    cursors = {whole[0], whole[1]};
    expect_text(refusal(cursors), "sample cursors: 2 came of 3 ranks");
    cursors = {whole[0], whole[1], whole[1]};
    expect_text(refusal(cursors), "sample cursors: two came of rank 1");
    expect_text(refusal({}), "sample cursors: there are none");
}
END_TEST

START_TEST(a_cursor_that_cannot_be_is_refused)
{
    const RankCursor right{
        .begin = {.samples = 100, .consumed = 40}, .rank = 1, .ranks = 2, .batch = 10, .batches = 2};
    ck_assert(decode_cursor(encode_cursor(right)).value() == right);
    const auto expect_wrong = [&](auto change) {
        RankCursor cursor = right;
        change(cursor);
        ck_assert(!decode_cursor(encode_cursor(cursor)));
    };
    expect_wrong([](RankCursor& c) { c.batches = 3; }); // the epoch would be over
    expect_wrong([](RankCursor& c) { c.batches = std::numeric_limits<std::uint64_t>::max(); });
    expect_wrong([](RankCursor& c) { c.rank = 2; });
    expect_wrong([](RankCursor& c) { c.ranks = 0; });
    expect_wrong([](RankCursor& c) { c.batch = 0; });
    expect_wrong([](RankCursor& c) { c.begin.samples = 0; });
    expect_wrong([](RankCursor& c) { c.begin.consumed = 100; });
    expect_wrong([](RankCursor& c) { c.begin.samples = std::numeric_limits<std::uint64_t>::max(); });
    const std::string bytes = encode_cursor(right);
    for (std::size_t size = 0; size < bytes.size(); ++size) ck_assert(!decode_cursor(bytes.substr(0, size)));
    ck_assert(!decode_cursor(bytes + "x") && !split_cursor({.samples = 1}, 0, 1));
}
END_TEST

Suite* cursor_suite()
{
    return make_suite(
        "cursor", case_c12_a_smaller_or_larger_world_goes_on_at_the_next_sample,
        case_c14_after_the_last_step_of_an_epoch_comes_the_first_of_the_next,
        case_c15_what_workers_have_fetched_ahead_does_not_count, case_c16_loading_twice_is_loading_once,
        any_change_of_ranks_at_any_step_loses_and_repeats_no_sample, fetching_ahead_ends_with_the_epoch,
        cursors_that_do_not_fit_together_are_refused_with_the_reason, a_cursor_that_cannot_be_is_refused);
}
