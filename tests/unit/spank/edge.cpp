#include "spank/edge.hpp"

#include <stdexcept>

#include "tests/unit/spank/fake_slurm.hpp"
#include "tests/unit/spank/suites.hpp"

using namespace mscale::spank;

START_TEST(a_hook_that_goes_on_returns_zero)
{
    FakeSlurm slurm;
    ck_assert_int_eq(edge(slurm, "init", Decision::refuse, [] { return Decision::go_on; }), 0);
    ck_assert(!slurm.ended);
}
END_TEST

START_TEST(a_hook_that_refuses_ends_the_process_too)
{
    FakeSlurm slurm;
    ck_assert_int_eq(edge(slurm, "init", Decision::go_on, [] { return Decision::refuse; }), -1);
    ck_assert(slurm.ended);
}
END_TEST

START_TEST(an_exception_in_a_node_hook_is_told_and_goes_on)
{
    FakeSlurm slurm;
    const int status =
        edge(slurm, "init_post_opt", Decision::go_on, []() -> Decision { throw std::runtime_error("boom"); });
    ck_assert_int_eq(status, 0);
    ck_assert(!slurm.ended);
    ck_assert_msg(slurm.said("init_post_opt failed inside: boom"), "%s", slurm.told.c_str());
}
END_TEST

START_TEST(an_exception_in_a_task_hook_refuses_the_task)
{
    FakeSlurm slurm;
    ck_assert_int_eq(edge(slurm, "task_init", Decision::refuse, []() -> Decision { throw std::bad_alloc(); }),
                     -1);
    ck_assert(slurm.ended);
}
END_TEST

START_TEST(what_is_no_exception_class_is_caught_as_well)
{
    FakeSlurm slurm;
    ck_assert_int_eq(edge(slurm, "job_epilog", Decision::go_on, []() -> Decision { throw 7; }), 0);
    ck_assert(slurm.said("unknown type"));
}
END_TEST

START_TEST(a_very_long_reason_is_cut_and_not_overrun)
{
    FakeSlurm slurm;
    report_exception(slurm, "exit", std::string(100000, 'x').c_str());
    ck_assert_uint_le(slurm.told.size(), 600);
}
END_TEST

Suite* edge_suite()
{
    Suite* suite = suite_create("edge");
    TCase* hooks = tcase_create("hooks");
    tcase_add_test(hooks, a_hook_that_goes_on_returns_zero);
    tcase_add_test(hooks, a_hook_that_refuses_ends_the_process_too);
    tcase_add_test(hooks, an_exception_in_a_node_hook_is_told_and_goes_on);
    tcase_add_test(hooks, an_exception_in_a_task_hook_refuses_the_task);
    tcase_add_test(hooks, what_is_no_exception_class_is_caught_as_well);
    tcase_add_test(hooks, a_very_long_reason_is_cut_and_not_overrun);
    suite_add_tcase(suite, hooks);
    return suite;
}
