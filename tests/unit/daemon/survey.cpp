#include "daemon/mscaled/survey.hpp"

#include "tests/unit/daemon/suites.hpp"

using namespace mscale::daemon;

namespace {

constexpr std::uint32_t batch = 0xfffffffb;

JobFacts batch_job()
{
    JobFacts facts;
    facts.job_id = 12;
    facts.running = true;
    facts.batch = true;
    facts.batch_host = "n1";
    facts.nodes = {"n1", "n2"};
    return facts;
}

const std::vector<StepFacts> step_on_both{{12, 0, 0, {"n1", "n2"}}};

} // namespace

START_TEST(a_batch_script_without_its_stepd_is_lost_on_its_host_only)
{
    const auto lost = find_lost_steps({12, {batch}}, batch_job(), {}, {}, "n1");
    ck_assert_uint_eq(lost.size(), 1);
    expect_text(lost.front().step, "batch");
    ck_assert(find_lost_steps({12, {batch}}, batch_job(), {}, {}, "n2").empty());
    ck_assert(find_lost_steps({12, {batch}}, batch_job(), {}, {{12, "batch"}}, "n1").empty());
}
END_TEST

START_TEST(a_step_is_lost_where_slurmctld_still_runs_it_and_no_stepd_does)
{
    ck_assert_uint_eq(find_lost_steps({12, {0}}, batch_job(), step_on_both, {{13, "0"}}, "n2").size(), 1);
    ck_assert(find_lost_steps({12, {0}}, batch_job(), step_on_both, {{12, "0"}}, "n2").empty());
    ck_assert(find_lost_steps({12, {0}}, batch_job(), step_on_both, {}, "n3").empty());
}
END_TEST

START_TEST(a_step_that_ended_or_never_had_a_task_here_is_not_lost)
{
    ck_assert(find_lost_steps({12, {0}}, batch_job(), {}, {}, "n2").empty());
    ck_assert(find_lost_steps({12, {}}, batch_job(), step_on_both, {}, "n2").empty());
}
END_TEST

START_TEST(node_lists_are_expanded_in_order)
{
    ck_assert(expand_nodes("n[1-2],m7") == (std::vector<std::string>{"n1", "n2", "m7"}));
    ck_assert(expand_nodes("").empty());
    ck_assert(expand_nodes(nullptr).empty());
}
END_TEST

Suite* survey_suite()
{
    return make_suite("survey", a_batch_script_without_its_stepd_is_lost_on_its_host_only,
                      a_step_is_lost_where_slurmctld_still_runs_it_and_no_stepd_does,
                      a_step_that_ended_or_never_had_a_task_here_is_not_lost,
                      node_lists_are_expanded_in_order);
}
