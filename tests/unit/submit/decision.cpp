#include "submit/decision.hpp"

#include "base/text.hpp"
#include "contract/state.hpp"
#include "tests/unit/submit/suites.hpp"

using namespace mscale;
using namespace mscale::submit;
using contract::Mode;

namespace {

Decision decide_enforced(const JobRequest& job)
{
    return decide(job, make_policy(Mode::enforce));
}

void expect_refused(const Decision& decision, const std::string& part)
{
    ck_assert_msg(decision.outcome == Outcome::refused, "not refused: %s", decision.message.c_str());
    expect_part(decision.message, part);
    ck_assert(!decision.verified);
}

void expect_accepted(const Decision& decision)
{
    ck_assert_msg(decision.outcome == Outcome::accepted, "not accepted: %s", decision.message.c_str());
}

} // namespace

START_TEST(an_honourable_contract_is_verified_and_the_job_is_fitted_to_it)
{
    const Decision decision = decide_enforced(make_job("role.loader.cores=2,gpu.sm=16"));
    expect_accepted(decision);
    ck_assert_uint_eq(decision.verified->uid, 7);
    expect_text(decision.verified->canonical, "gpu.sm=16,role.loader.cores=2");
    expect_text(decision.tres_per_node.value_or(""), "gres:sm:2");
    ck_assert_uint_eq(decision.cpus_per_task.value_or(0), 4);
    expect_part(decision.admin_comment.value_or(""), "mscale: state=accepted");
}
END_TEST

START_TEST(nodes_that_cant_honour_it_or_are_in_no_class_are_excluded)
{
    const Decision decision = decide_enforced(make_job("role.loader.cores=8"));
    expect_accepted(decision);
    ck_assert(decision.exclude == std::vector<std::string>({"u1", "b1"}));
}
END_TEST

START_TEST(too_few_nodes_left_is_a_refusal_with_the_nearest_contract)
{
    JobRequest job = make_job("role.loader.cores=8");
    job.min_nodes = 4;
    const Decision decision = decide_enforced(job);
    expect_refused(decision, "3 of the 4 nodes needed");
    expect_part(decision.message, "MSC-V002");
    expect_part(decision.message, "u1");
    expect_part(decision.message, "\nnearest: --mscale-contract=role.loader.cores=4");
}
END_TEST

START_TEST(every_broken_clause_is_reported)
{
    JobRequest job = make_job("role.loader.cores=40,role.loader.hugepages=2MiB*100,gpu.sm=500");
    job.partitions = {"main"};
    const Decision decision = decide_enforced(job);
    for (const char* code : {"MSC-V002", "MSC-V011", "MSC-V013"}) expect_refused(decision, code);
}
END_TEST

START_TEST(a_fault_is_told_with_its_caret)
{
    const Decision decision = decide_enforced(make_job("gpu.smm=8"));
    ck_assert(decision.outcome == Outcome::faulty);
    expect_part(decision.message, "gpu.smm=8\n");
    expect_part(decision.message, "^");
}
END_TEST

START_TEST(a_file_is_never_opened_for_a_user)
{
    const Decision decision = decide_enforced(make_job("@/etc/shadow"));
    ck_assert(decision.outcome == Outcome::faulty);
    expect_part(decision.message, "the controller opens no file for a user");
}
END_TEST

START_TEST(a_required_node_must_honour_the_contract)
{
    JobRequest job = make_job("role.loader.cores=8");
    job.required_nodes = {"b1"};
    expect_refused(decide_enforced(job), "requires node b1");
}
END_TEST

START_TEST(too_few_cpus_for_a_task_are_refused_with_both_numbers)
{
    JobRequest job = make_job("role.loader.cores=2");
    job.cpus_per_task = 3;
    expect_refused(decide_enforced(job), "--cpus-per-task=3: the contract needs 4 CPUs");
    job.cpus_per_task = 6;
    const Decision decision = decide_enforced(job);
    expect_accepted(decision);
    ck_assert(!decision.cpus_per_task);
}
END_TEST

START_TEST(coded_groups_need_as_many_nodes_as_members)
{
    JobRequest job = make_job("role.loader.cores=2,ft.redundancy=rs:2+1");
    job.min_nodes = 2;
    expect_refused(decide_enforced(job), "MSC-R010 ft.redundancy=rs:2+1: its groups have 3 ranks, each on a node of its own, and "
                                         "the job asks for 2 nodes");
    job.min_nodes = std::nullopt;
    expect_accepted(decide_enforced(job));
}
END_TEST

START_TEST(copies_need_a_node_each_beside_the_rank_s_own)
{
    JobRequest job = make_job("role.loader.cores=2,ft.every=5,ft.copies=2");
    for (const unsigned nodes : {1U, 2U}) {
        job.min_nodes = nodes;
        expect_refused(decide_enforced(job),
                       format("MSC-R010 ft.copies=2: each copy lies on a node of its own beside the rank's, 3 in all, and the job "
                              "has {}; ask for -N 3",
                              nodes));
    }
    job.min_nodes = 3;
    expect_accepted(decide_enforced(job));
    job.min_nodes = 2;
    job.contract += ",ft.spares=1";
    expect_accepted(decide_enforced(job));
    job.min_nodes = 1;
    expect_refused(decide_enforced(job), "and the job has 2, 1 as spare; ask for -N 2, or for ft.copies=1");
}
END_TEST

START_TEST(copies_of_a_job_that_leaves_its_nodes_to_slurm_need_as_many_tasks)
{
    JobRequest job = make_job("role.loader.cores=2,ft.every=5,ft.copies=1");
    job.min_nodes = std::nullopt;
    expect_refused(decide_enforced(job), "and the job has 1; ask for -N 2, or leave ft.copies out");
    job.tasks = 2;
    expect_accepted(decide_enforced(job));
    expect_accepted(decide_enforced(make_job("role.loader.cores=2,ft.every=5")));
}
END_TEST

START_TEST(spares_raise_the_nodes_of_a_batch_job_only)
{
    JobRequest job = make_job("role.loader.cores=2,ft.spares=1");
    job.min_nodes = job.max_nodes = 2;
    const Decision decision = decide_enforced(job);
    expect_accepted(decision);
    ck_assert_uint_eq(decision.min_nodes.value_or(0), 3);
    ck_assert_uint_eq(decision.max_nodes.value_or(0), 3);
    ck_assert(decision.keep_on_node_fail && decision.requeue);
    job.has_script = false;
    expect_refused(decide_enforced(job), "MSC-V022");
}
END_TEST

START_TEST(a_contract_without_fault_tolerance_leaves_requeue_and_node_failure_alone)
{
    const Decision decision = decide_enforced(make_job("role.loader.cores=2"));
    ck_assert(!decision.requeue && !decision.keep_on_node_fail && !decision.min_nodes &&
              !decision.tres_per_node);
}
END_TEST

START_TEST(a_forbidden_requeue_contradicts_a_contract_that_relies_on_it)
{
    JobRequest job = make_job("role.loader.cores=2,on_breach.action=requeue");
    job.requeue = false;
    expect_refused(decide_enforced(job), "MSC-V031 on_breach.action=--no-requeue");
}
END_TEST

START_TEST(an_observed_job_is_told_what_would_be_refused_and_left_as_it_is)
{
    JobRequest job = make_job("role.loader.cores=40");
    const Decision decision = decide(job, make_policy(Mode::observe));
    expect_accepted(decision);
    expect_part(decision.message, "would be refused");
    ck_assert(decision.verified->mode == Mode::observe);
    ck_assert(!decision.cpus_per_task && decision.exclude.empty());
    expect_part(decision.admin_comment.value_or(""), "mscale: state=observed verdict=refused");
}
END_TEST

START_TEST(where_contracts_are_off_the_user_is_told_and_nothing_is_set)
{
    const Decision decision = decide(make_job("role.loader.cores=2"), make_policy(Mode::off));
    expect_accepted(decision);
    expect_part(decision.message, "switched contracts off");
    ck_assert(!decision.verified && !decision.admin_comment);
}
END_TEST

START_TEST(the_nodes_are_told_what_notice_the_job_has_before_its_end)
{
    JobRequest job = make_job("role.loader.cores=1,ft.every=10");
    job.partitions = {"small", "main"};
    job.warning = 120;
    Policy policy = make_policy(Mode::enforce);
    auto inventory = std::make_shared<hal::Inventory>(*policy.inventory);
    for (hal::PartitionEntry& partition : inventory->partitions) {
        partition.preemption = "requeue";
        partition.grace = partition.name == "main" ? 60 : 20;
    }
    policy.inventory = inventory;
    ck_assert((decide(job, policy).verified->notice == contract::Notice{120, 20}));
    for (hal::PartitionEntry& partition : inventory->partitions)
        if (partition.name == "small") partition.preemption = "off";
    ck_assert((decide(job, policy).verified->notice == contract::Notice{120, 60}));
}
END_TEST

START_TEST(the_strictest_mode_of_the_partitions_holds)
{
    Policy policy = make_policy(Mode::off);
    policy.site->partition_modes["small"] = Mode::enforce;
    JobRequest job = make_job("role.loader.cores=40");
    job.partitions = {"main", "small"};
    expect_refused(decide(job, policy), "MSC-V002");
}
END_TEST

START_TEST(another_writers_admin_comment_is_kept)
{
    JobRequest job = make_job("role.loader.cores=2");
    job.admin_comment = "billing: 42";
    expect_text(decide_enforced(job).admin_comment.value_or("").substr(0, 12), "billing: 42;");
}
END_TEST

START_TEST(without_an_inventory_a_contract_is_refused)
{
    Policy policy = make_policy(Mode::enforce);
    policy.inventory = nullptr;
    policy.inventory_fault = "mscale: no inventory";
    const Decision decision = decide(make_job("role.loader.cores=2"), policy);
    ck_assert(decision.outcome == Outcome::failed);
    expect_text(decision.message, "mscale: no inventory");
    JobRequest job = make_job("role.loader.cores=2");
    job.partitions = {"new"};
    expect_part(decide_enforced(job).message, "partition new isn't in the inventory");
}
END_TEST

START_TEST(a_class_that_is_too_old_honours_nothing)
{
    constexpr std::int64_t day = 86400;
    JobRequest job = make_job("role.loader.cores=2");
    job.partitions = {"small"};
    job.time = 181 * day - 1;
    expect_accepted(decide_enforced(job));
    job.time = 181 * day;
    expect_refused(decide_enforced(job), "MSC-C004 inventory=small");
    expect_part(decide_enforced(job).message, "181 days ago, and the site believes that for 180");
    ck_assert(decide_enforced(job).message.find("nearest") == std::string::npos);
    Policy policy = make_policy(Mode::enforce);
    policy.site->inventory_days = 0;
    expect_accepted(decide(job, policy));
    expect_part(decide(job, make_policy(Mode::observe)).message, "would be refused");
}
END_TEST

START_TEST(a_contract_too_long_to_search_for_says_where_to_search)
{
    JobRequest job = make_job("role.loader.cores=40");
    for (int i = 0; i < 250; ++i) job.contract += format(",role.r{}.cores=1", i);
    job.partitions = {"small"};
    expect_refused(decide_enforced(job),
                   "no nearest contract was found in the time that the controller can spare");
}
END_TEST

START_TEST(the_nearest_contract_is_accepted_as_it_stands)
{
    JobRequest job = make_job("role.loader.cores=40,gpu.sm=500");
    job.partitions = {"small"};
    const std::string message = decide_enforced(job).message, mark = "nearest: --mscale-contract=";
    ck_assert(message.find(mark) != std::string::npos);
    const std::string rest = message.substr(message.find(mark) + mark.size());
    job.contract = rest.substr(0, rest.find('\n'));
    expect_part(rest, "\nnearest changes gpu.sm 500 -> 132, role.loader.cores 40 -> 4");
    expect_accepted(decide_enforced(job));
}
END_TEST

START_TEST(a_nearest_contract_that_a_shell_would_change_is_quoted_with_its_option)
{
    JobRequest job = make_job("role.loader.hugepages=2MiB*100");
    job.partitions = {"small"};
    expect_refused(decide_enforced(job), "\nnearest: '--mscale-contract=role.loader.hugepages=2MiB*64'\n");
}
END_TEST

START_TEST(tasks_that_one_node_cant_hold_are_spread_over_the_fewest_that_can)
{
    JobRequest job = make_job("role.loader.cores=4");
    job.tasks = 10;
    const Decision decision = decide_enforced(job);
    expect_accepted(decision);
    ck_assert_uint_eq(decision.min_nodes.value_or(0), 3);
    ck_assert_uint_eq(decision.tasks_per_node.value_or(0), 4);
    ck_assert(decision.verified && decision.verified->tasks == 4);
    job.tasks = 4;
    const Decision on_one = decide_enforced(job);
    expect_accepted(on_one);
    ck_assert(!on_one.min_nodes && !on_one.tasks_per_node);
}
END_TEST

START_TEST(a_node_that_holds_fewer_is_taken_where_the_larger_ones_dont_suffice)
{
    JobRequest job = make_job("role.loader.cores=4");
    job.tasks = 4;
    job.excluded_nodes = {"a1", "a2", "a3", "u1"};
    expect_refused(decide_enforced(job), "MSC-V002");
    job.contract = "role.loader.cores=2";
    job.excluded_nodes = {"a2", "a3", "u1"};
    job.tasks = 9;
    expect_refused(decide_enforced(job), "MSC-V002");
    job.excluded_nodes = {"u1"};
    expect_accepted(decide_enforced(job));
}
END_TEST

START_TEST(tasks_whose_nodes_the_user_named_are_not_spread)
{
    JobRequest job = make_job("role.loader.cores=4");
    job.tasks = 10;
    job.min_nodes = job.max_nodes = 2;
    expect_refused(decide_enforced(job), "MSC-V002");
    job.min_nodes = job.max_nodes = std::nullopt;
    job.tasks_per_node = 5;
    expect_refused(decide_enforced(job), "MSC-V002");
}
END_TEST

START_TEST(tasks_of_a_job_without_a_script_are_cured_by_their_nodes)
{
    JobRequest job = make_job("role.loader.cores=4");
    job.tasks = 10;
    job.has_script = false;
    expect_refused(decide_enforced(job), "MSC-V026 --ntasks=10: ");
    expect_refused(decide_enforced(job), "give -N 3 --ntasks-per-node=4");
}
END_TEST

START_TEST(a_partition_with_too_few_nodes_is_told_with_its_size)
{
    JobRequest job = make_job("role.loader.cores=2");
    job.min_nodes = job.max_nodes = 6;
    expect_refused(decide_enforced(job),
                   "MSC-V035 --nodes=6: partition main has 5 nodes; ask for -N 5 at most");
    job.partitions = {"small"};
    job.min_nodes = job.max_nodes = 1;
    job.contract += ",ft.spares=1";
    expect_refused(decide_enforced(job), "MSC-V035 ft.spares=1: partition small has 1 node; with 1 as spare");
    job.partitions.clear();
    job.min_nodes = job.max_nodes = 5;
    expect_refused(decide_enforced(job), "the job needs 6; ask for -N 4, beside which 1 spare there is room for");
}
END_TEST

Suite* decision_suite()
{
    return make_suite("decision", an_honourable_contract_is_verified_and_the_job_is_fitted_to_it,
                      nodes_that_cant_honour_it_or_are_in_no_class_are_excluded,
                      too_few_nodes_left_is_a_refusal_with_the_nearest_contract,
                      every_broken_clause_is_reported, a_fault_is_told_with_its_caret,
                      a_file_is_never_opened_for_a_user, a_required_node_must_honour_the_contract,
                      too_few_cpus_for_a_task_are_refused_with_both_numbers,
                      coded_groups_need_as_many_nodes_as_members,
                      copies_need_a_node_each_beside_the_rank_s_own,
                      copies_of_a_job_that_leaves_its_nodes_to_slurm_need_as_many_tasks,
                      spares_raise_the_nodes_of_a_batch_job_only,
                      a_contract_without_fault_tolerance_leaves_requeue_and_node_failure_alone,
                      a_forbidden_requeue_contradicts_a_contract_that_relies_on_it,
                      an_observed_job_is_told_what_would_be_refused_and_left_as_it_is,
                      where_contracts_are_off_the_user_is_told_and_nothing_is_set,
                      the_strictest_mode_of_the_partitions_holds, the_nodes_are_told_what_notice_the_job_has_before_its_end,
                      another_writers_admin_comment_is_kept,
                      without_an_inventory_a_contract_is_refused, a_class_that_is_too_old_honours_nothing,
                      a_contract_too_long_to_search_for_says_where_to_search,
                      the_nearest_contract_is_accepted_as_it_stands,
                      a_nearest_contract_that_a_shell_would_change_is_quoted_with_its_option,
                      tasks_that_one_node_cant_hold_are_spread_over_the_fewest_that_can,
                      a_node_that_holds_fewer_is_taken_where_the_larger_ones_dont_suffice,
                      tasks_whose_nodes_the_user_named_are_not_spread,
                      tasks_of_a_job_without_a_script_are_cured_by_their_nodes,
                      a_partition_with_too_few_nodes_is_told_with_its_size);
}
