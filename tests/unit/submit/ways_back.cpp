// What a user is told at submit of a job's ways back.
#include "submit/ways_back.hpp"

#include <algorithm>

#include "contract/last_snapshot.hpp"
#include "tests/unit/submit/suites.hpp"

using namespace mscale;
using namespace mscale::submit;
using std::chrono::seconds;

namespace {

constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;

JobRequest make_batch_job()
{
    JobRequest job;
    job.has_script = true;
    return job;
}

/// A step of 12 s, and a snapshot that takes 25 s at 1 GiB a second.
contract::Ft make_slow_ft()
{
    contract::Ft ft;
    ft.step_time = seconds(12);
    ft.state = 25 * gibibyte;
    return ft;
}

hal::PartitionEntry make_partition(const std::string& preemption, unsigned grace, unsigned kill_wait)
{
    return {"gpu", {"n1"}, true, preemption, grace, kill_wait};
}

/// A site that keeps the memory of jobs that wait to run again.
contract::Site make_keeping_site()
{
    contract::Site site;
    site.held_memory = gibibyte;
    return site;
}

std::string tell(const JobRequest& job, const contract::Ft& ft, const hal::PartitionEntry& partition,
                 const contract::Site& site = make_keeping_site())
{
    std::string all;
    for (const std::string& line : tell_ways_back(job, ft, 1, site, {&partition})) all += line + "\n";
    return all;
}

} // namespace

START_TEST(a_job_with_spares_is_told_of_the_way_in_its_allocation_and_others_of_the_requeue)
{
    contract::Ft ft;
    ft.every_steps = 10;
    const auto calm = make_partition("off", 0, 30);
    expect_part(tell(make_batch_job(), ft, calm), "a requeue; with ft.spares and `mscale run`");
    ft.spares = 2;
    expect_part(tell(make_batch_job(), ft, calm), "goes on with 2 spare nodes");
    expect_part(tell(JobRequest{}, ft, calm), "none; only a batch job");
}
END_TEST

START_TEST(a_requeue_that_finds_no_snapshot_is_no_way_back)
{
    contract::Ft ft;
    ft.every_steps = 10;
    const auto calm = make_partition("off", 0, 30);
    const contract::Site forgetting;
    const std::string none = "none: a requeued job finds no snapshot (MSC-R005), since the site keeps none in memory ([recovery] "
                             "held_memory); give ft.spill=DIRECTORY";
    expect_part(tell(make_batch_job(), ft, calm, forgetting), "the loss of a node: " + none + "; with ft.spares");
    ft.spares = 1;
    expect_part(tell(make_batch_job(), ft, calm, forgetting), "when the spares are gone, " + none);
    ft.spill = "/scratch";
    expect_part(tell(make_batch_job(), ft, calm, forgetting), "when the spares are gone, a requeue");
}
END_TEST

START_TEST(a_job_with_a_spill_is_told_what_lies_in_its_files)
{
    contract::Ft ft;
    ft.spill = "/scratch/%u";
    const auto calm = make_partition("off", 0, 30);
    expect_part(tell(make_batch_job(), ft, calm), "files in /scratch/%u: only the last snapshot");
    ft.spill_every = 10;
    expect_part(tell(make_batch_job(), ft, calm), "files in /scratch/%u: one in 10 snapshots, and the last");
}
END_TEST

START_TEST(a_grace_that_is_shorter_than_a_step_and_a_snapshot_is_told_with_numbers)
{
    const std::string told = tell(make_batch_job(), make_slow_ft(), make_partition("requeue", 10, 20));
    expect_part(told, "a preemption in partition gpu (GraceTime and KillWait) leaves 30.0 s, and a step (12.0 s) with a "
                      "snapshot (25.0 s) takes 37.0 s");
    expect_part(tell(make_batch_job(), make_slow_ft(), make_partition("off", 0, 30)), "the time limit or a requeue (KillWait) leaves 30.0 s");
}
END_TEST

START_TEST(without_the_length_of_a_step_the_snapshot_alone_is_judged)
{
    contract::Ft ft = make_slow_ft();
    ft.step_time.reset();
    expect_part(tell(make_batch_job(), ft, make_partition("off", 0, 20)),
                "(KillWait) leaves 20.0 s, and a snapshot takes 25.0 s after the step that is under way");
    const std::string told = tell(make_batch_job(), ft, make_partition("requeue", 20, 30));
    ck_assert_int_eq(std::count(told.begin(), told.end(), '\n'), 1);
}
END_TEST

START_TEST(a_notice_that_comes_early_enough_is_no_fault)
{
    JobRequest job = make_batch_job();
    job.warning = 60;
    const std::string told = tell(job, make_slow_ft(), make_partition("requeue", 40, 30));
    ck_assert_int_eq(std::count(told.begin(), told.end(), '\n'), 1);
    job.warning = 20;
    expect_part(tell(job, make_slow_ft(), make_partition("off", 0, 30)), "--signal before the time limit leaves 20.0 s");
}
END_TEST

START_TEST(a_partition_that_cancels_what_it_preempts_is_named)
{
    contract::Ft ft;
    ft.every_steps = 10;
    expect_part(tell(make_batch_job(), ft, make_partition("cancel", 30, 30)), "PreemptMode=CANCEL");
    ck_assert(tell(make_batch_job(), ft, make_partition("requeue", 30, 30)).find("CANCEL") == std::string::npos);
}
END_TEST

START_TEST(the_copies_of_all_ranks_of_a_node_count)
{
    contract::Ft ft = make_slow_ft();
    ft.copies = 2;
    ck_assert(contract::estimate_last_snapshot(ft, 4, gibibyte)->copy == seconds(200));
    ck_assert(contract::estimate_last_snapshot(ft, 4, 4 * gibibyte)->together() == seconds(62));
    ft.copies.reset();
    ft.redundancy = "rs:4+2";
    ck_assert(contract::estimate_last_snapshot(ft, 4, gibibyte)->copy == seconds(200));
    ft.redundancy = "xor:4";
    ck_assert(contract::estimate_last_snapshot(ft, 4, gibibyte)->copy == seconds(100));
    ft.state.reset();
    ck_assert(!contract::estimate_last_snapshot(ft, 4, gibibyte));
}
END_TEST

Suite* ways_back_suite()
{
    return make_suite("ways back", a_job_with_spares_is_told_of_the_way_in_its_allocation_and_others_of_the_requeue,
                      a_requeue_that_finds_no_snapshot_is_no_way_back, a_job_with_a_spill_is_told_what_lies_in_its_files,
                      a_grace_that_is_shorter_than_a_step_and_a_snapshot_is_told_with_numbers,
                      without_the_length_of_a_step_the_snapshot_alone_is_judged,
                      a_notice_that_comes_early_enough_is_no_fault, a_partition_that_cancels_what_it_preempts_is_named,
                      the_copies_of_all_ranks_of_a_node_count);
}
