#include "recovery/admission.hpp"

#include <limits>

#include "base/files.hpp"
#include "base/json.hpp"
#include "recovery/segment.hpp"
#include "tests/unit/recovery/samples.hpp"
#include "tests/unit/recovery/suites.hpp"

using namespace mscale;
using namespace mscale::recovery;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t gib = 1 << 30;
constexpr auto most_bytes = std::numeric_limits<std::uint64_t>::max();

void expect_part(const std::string& text, const std::string& part)
{
    ck_assert_msg(text.find(part) != std::string::npos, "'%s' lacks '%s'", text.c_str(), part.c_str());
}

} // namespace

START_TEST(room_is_two_slots_for_each_rank_and_each_copy)
{
    const RoomNeed need =
        count_room({.state_bytes = 256 * mib, .page_bytes = 2 * mib, .ranks = 4, .copies = 2});
    ck_assert_uint_eq(need.segment_bytes, lay_out_segment(256 * mib, 2 * mib).total_bytes);
    ck_assert(need.segment_bytes >= 2 * 256 * mib);
    ck_assert_uint_eq(need.own_bytes, 4 * need.segment_bytes);
    ck_assert_uint_eq(need.hosted_bytes, 8 * need.segment_bytes);
    ck_assert_uint_eq(need.total_bytes, 12 * need.segment_bytes);
}
END_TEST

START_TEST(the_limit_itself_is_admitted_and_a_byte_less_is_not)
{
    const RoomQuestion question{.state_bytes = 100 * mib, .ranks = 2, .copies = 1};
    const std::uint64_t need = count_room(question).total_bytes;
    ck_assert(admit_snapshots(question, need, need)->total_bytes == need);
    ck_assert(!admit_snapshots(question, need - 1, need) && !admit_snapshots(question, need, need - 1));
}
END_TEST

START_TEST(a_refusal_has_all_numbers)
{
    const RoomQuestion question{.state_bytes = gib, .ranks = 4, .copies = 1};
    const auto site = admit_snapshots(question, 4 * gib, 64 * gib),
               node = admit_snapshots(question, 64 * gib, 2 * gib);
    ck_assert(!site && site.error().code == Code::snapshot_room && !node);
    expect_part(site.error().text, "2 slots x 1 GiB x 4 ranks x (1 + 1 copies) take");
    expect_part(site.error().text, "the site allows 4 GiB");
    expect_part(node.error().text, "of which 2 GiB are free");
}
END_TEST

START_TEST(the_jobs_own_limit_refuses_with_what_is_used_and_promised)
{
    const RoomQuestion question{.state_bytes = gib, .ranks = 1, .copies = 1};
    const std::uint64_t need = count_room(question).total_bytes;
    ck_assert(admit_to_job(question, {need + gib, gib, 0}) && admit_to_job(question, {need + gib, 0, gib}));
    ck_assert(!admit_to_job(question, {need + gib - 1, gib, 0}) && !admit_to_job(question, {need + gib, gib, 1}));
    ck_assert(!admit_to_job(question, {gib, most_bytes, most_bytes}));
    const auto refused = admit_to_job(question, {5 * gib, 2 * gib, gib});
    ck_assert(refused.error().code == Code::snapshot_room);
    expect_part(refused.error().text, "2 slots x 1 GiB x 1 ranks x (1 + 1 copies) take");
    expect_part(refused.error().text, "of the job's memory limit of 5 GiB 2 GiB are used, and 1 GiB promised to copies");
    expect_part(refused.error().cure, "--mem");
    expect_part(admit_to_job(question, {5 * gib, 2 * gib, 0}).error().text, "2 GiB are used");
}
END_TEST

START_TEST(a_coded_part_counts_beside_the_ranks_own_snapshot)
{
    const RoomQuestion own{.state_bytes = gib, .ranks = 2, .copies = 0};
    RoomQuestion coded = own;
    coded.scheme = {5, 1};
    const RoomNeed need = count_room(coded);
    ck_assert(count_room(own).coded_bytes == 0 && need.total_bytes == count_room(own).total_bytes + need.coded_bytes);
    const std::uint64_t share = 2 * SegmentLayout::slots * gib / 4; // and the manifests beside it
    ck_assert(need.coded_bytes > share && need.coded_bytes < share + share / 2);
    expect_part(admit_snapshots(coded, gib, gib).error().text, "2 slots x 1 GiB x 2 ranks x (1 + 0 copies) with coded parts of");
}
END_TEST

START_TEST(no_number_is_so_large_that_it_wraps)
{
    const RoomQuestion huge{
        .state_bytes = most_bytes, .page_bytes = gib, .ranks = 4294967295u, .copies = 4294967295u};
    ck_assert_uint_eq(count_room(huge).total_bytes, most_bytes);
    const auto refused = admit_snapshots({.state_bytes = most_bytes, .ranks = 1, .copies = 0}, most_bytes, most_bytes);
    ck_assert(!refused);
    expect_part(refused.error().text, "a rank's state is at most 16 TiB");
}
END_TEST

START_TEST(case_c10_a_step_and_a_snapshot_must_end_within_the_grace)
{
    const std::string text = read_file(fixture("cases/recovery/signal_grace.json")).value();
    const Json input = parse_json(text, "signal_grace.json").value();
    const std::chrono::seconds step(input["step_s"]), snapshot(input["snapshot_s"]), grace(input["grace_s"]);
    const auto checked = check_grace(step, snapshot, grace);
    ck_assert(!checked && checked.error().code == Code::grace_too_short);
    expect_text(checked.error().text,
                "a step of 12 s and a snapshot of 25 s don't end within the grace of 30 s");
    ck_assert(check_grace(step, 18s, grace) && !check_grace(step, 18001ms, grace));
    ck_assert(!check_grace(std::chrono::milliseconds::max(), 1ms, grace) && !check_grace(1ms, 1ms, 0ms));
}
END_TEST

Suite* admission_suite()
{
    return make_suite("admission", room_is_two_slots_for_each_rank_and_each_copy,
                      the_limit_itself_is_admitted_and_a_byte_less_is_not, a_refusal_has_all_numbers,
                      the_jobs_own_limit_refuses_with_what_is_used_and_promised,
                      a_coded_part_counts_beside_the_ranks_own_snapshot,
                      no_number_is_so_large_that_it_wraps,
                      case_c10_a_step_and_a_snapshot_must_end_within_the_grace);
}
