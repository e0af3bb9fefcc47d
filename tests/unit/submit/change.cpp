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
    job.cpus_per_node = 2;
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
    expect_part(judge({.cpus_per_node = 1}), "the CPU count of a node 1 is below the 2");
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

START_TEST(a_jobs_number_is_read_from_every_form)
{
    for (const char* text : {"12", "12_3", "12_[1-4]", "12+1"})
        ck_assert_uint_eq(find_job_id(text).value_or(0), 12);
    for (const char* text : {"", "x", "0", "-1", "99999999999"}) ck_assert(!find_job_id(text));
}
END_TEST

namespace {

constexpr const char* held = "mscale: state=accepted";

/// A user's numnodes=1 on a job of 3 nodes; the record that the hook is given can't be read.
ChangeQuestion ask_for_one_node(std::optional<std::uint32_t> id)
{
    return {{},
            id,
            [](std::uint32_t) { return std::vector{make_pending()}; },
            [] { return JobChange{.min_nodes = 1}; }};
}

bool fails_if_asked()
{
    ck_abort_msg("this was not to be asked");
}

} // namespace

START_TEST(a_number_that_only_slurm_can_read_is_refused)
{
    for (const char* text : {" 123", "+123", "4294967419", "\t123", "0x7b"}) {
        const ChangeAnswer answer = answer_change(ask_for_one_node(find_job_id(text)), "sm");
        ck_assert(answer.kind == ChangeAnswer::Kind::unreadable_id);
        expect_text(answer.reason, "the job isn't named by its plain number");
    }
    ck_assert(answer_change(ask_for_one_node(find_job_id("123")), "sm").kind == ChangeAnswer::Kind::refused);
}
END_TEST

START_TEST(a_job_whose_record_shows_no_contract_is_asked_nothing_more)
{
    ChangeQuestion question = ask_for_one_node(std::nullopt);
    question.find_job = [](std::uint32_t) {
        return fails_if_asked() ? std::optional(std::vector<PendingJob>{}) : std::nullopt;
    };
    for (const char* comment : {"", "billing: 42", "mscale: state=observed verdict=refused"}) {
        question.admin_comment = comment;
        ck_assert(answer_change(question, "sm").kind == ChangeAnswer::Kind::allowed);
    }
    question.admin_comment = held;
    ck_assert(answer_change(question, "sm").kind == ChangeAnswer::Kind::unreadable_id);
}
END_TEST

START_TEST(a_change_is_read_only_for_a_job_with_a_contract)
{
    ChangeQuestion question = ask_for_one_node(12);
    question.read_change = [] { return fails_if_asked() ? JobChange{} : JobChange{}; };
    question.find_job = [](std::uint32_t) { return std::vector<PendingJob>(2); };
    ck_assert(answer_change(question, "sm").kind == ChangeAnswer::Kind::allowed);
    question.find_job = [](std::uint32_t) { return std::optional<std::vector<PendingJob>>(); };
    ck_assert(answer_change(question, "sm").kind == ChangeAnswer::Kind::ask_again);
}
END_TEST

START_TEST(a_change_that_cant_be_read_is_refused)
{
    ChangeQuestion question = ask_for_one_node(12);
    question.read_change = [] { return mscale::failure(mscale::Code::node_list, "too long"); };
    const ChangeAnswer answer = answer_change(question, "sm");
    ck_assert(answer.kind == ChangeAnswer::Kind::refused);
    expect_text(answer.reason, "too long");
}
END_TEST

Suite* change_suite()
{
    return make_suite("change", slices_cant_be_dropped_or_changed,
                      nodes_cpus_and_tasks_cant_go_below_what_was_judged,
                      requeue_partition_and_excluded_nodes_stay_as_judged,
                      jobs_without_a_contract_and_observed_ones_may_be_changed,
                      a_jobs_number_is_read_from_every_form, a_number_that_only_slurm_can_read_is_refused,
                      a_job_whose_record_shows_no_contract_is_asked_nothing_more,
                      a_change_is_read_only_for_a_job_with_a_contract, a_change_that_cant_be_read_is_refused);
}
