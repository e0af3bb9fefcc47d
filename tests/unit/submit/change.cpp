#include "submit/job_change.hpp"

#include "tests/unit/submit/suites.hpp"

using namespace mscale::submit;

namespace {

PendingJob make_pending()
{
    PendingJob job;
    job.admin_comment = "billing: 42; mscale: state=accepted";
    job.partition = "main";
    job.tres_per_node = "gres:gpu:1,gres:sm:4";
    job.nodes = job.max_nodes = 3;
    job.tasks = 6;
    job.cpus = 12;
    job.cpus_per_task = 2;
    job.requeue = true;
    job.excluded_nodes = {"b1"};
    return job;
}

std::string judge(const JobChange& change)
{
    return find_breach(make_pending(), change, "sm");
}

} // namespace

START_TEST(slices_cant_be_dropped_or_changed)
{
    expect_part(judge({.tres_per_node = "gres:"}), "the contract holds sm:4");
    expect_part(judge({.tres_per_node = "gres:sm:8"}), "the contract holds sm:4");
    expect_part(judge({.other_tres = "gres:sm:4"}), "per node");
    expect_text(judge({.tres_per_node = "gres:sm:4,gres:gpu:2"}), "");
}
END_TEST

START_TEST(nodes_cpus_and_tasks_cant_go_below_what_was_judged)
{
    expect_part(judge({.min_nodes = 2}), "the node count 2 is below the 3");
    expect_part(judge({.max_nodes = 2}), "the greatest node count 2");
    expect_part(judge({.cpus_per_task = 1}), "the CPU count of a task 1 is below the 2");
    expect_part(judge({.tasks = 7}), "the task count 7 isn't the 6");
    expect_text(judge({.min_nodes = 4, .max_nodes = 4}), "");
}
END_TEST

START_TEST(requeue_partition_and_excluded_nodes_stay_as_judged)
{
    expect_part(judge({.requeue = false}), "relies on a requeue");
    expect_part(judge({.partition = "other"}), "partition other");
    expect_part(judge({.excluded_nodes = std::vector<std::string>{}}), "node b1 is excluded because");
    expect_text(
        judge({.requeue = true, .partition = "main", .excluded_nodes = std::vector<std::string>{"b1", "b2"}}),
        "");
}
END_TEST

START_TEST(jobs_without_a_contract_and_observed_ones_may_be_changed)
{
    PendingJob job = make_pending();
    for (const char* comment : {"", "billing: 42", "mscale: state=observed verdict=refused"}) {
        job.admin_comment = comment;
        expect_text(find_breach(job, {.tres_per_node = "gres:", .min_nodes = 1}, "sm"), "");
    }
}
END_TEST

START_TEST(a_change_that_no_contract_depends_on_needs_no_look_at_the_job)
{
    ck_assert(!concerns_contract({}));
    ck_assert(concerns_contract({.min_nodes = 1}));
}
END_TEST

START_TEST(a_jobs_number_is_read_from_every_form)
{
    for (const char* text : {"12", "12_3", "12_[1-4]", "12+1"})
        ck_assert_uint_eq(find_job_id(text).value_or(0), 12);
    for (const char* text : {"", "x", "0", "-1", "99999999999"}) ck_assert(!find_job_id(text));
}
END_TEST

Suite* change_suite()
{
    return make_suite(
        "change", slices_cant_be_dropped_or_changed, nodes_cpus_and_tasks_cant_go_below_what_was_judged,
        requeue_partition_and_excluded_nodes_stay_as_judged,
        jobs_without_a_contract_and_observed_ones_may_be_changed,
        a_change_that_no_contract_depends_on_needs_no_look_at_the_job, a_jobs_number_is_read_from_every_form);
}
