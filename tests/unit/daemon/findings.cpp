#include "daemon/mscaled/findings.hpp"

#include "tests/unit/daemon/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;

namespace {

ProcessFinding process_of(const std::string& role, CpuSet promised, std::vector<Thread> threads)
{
    return {{0, 0, role, {4711, 99}, std::move(promised)}, std::move(threads)};
}

std::string text_of(const std::optional<Breach>& breach)
{
    std::string text;
    if (!breach) return text;
    for (const auto& [key, value] : breach->fields) text += key + "=" + value + " ";
    return text;
}

} // namespace

START_TEST(threads_on_their_cpus_break_nothing)
{
    const Findings findings{
        {process_of("loader", CpuSet({0, 1}), {{4711, CpuSet({0, 1})}, {4712, CpuSet({1})}})}, {}};
    ck_assert(!find_breach(findings));
}
END_TEST

START_TEST(a_thread_outside_its_cpus_is_a_breach_that_names_it)
{
    const Findings findings{
        {process_of("loader", CpuSet({0}), {{4711, CpuSet({0})}, {4712, CpuSet({0, 3})}})}, {}};
    expect_text(text_of(find_breach(findings)), "pid=4711 thread=4712 role=loader promised=0 found=0,3 ");
}
END_TEST

START_TEST(fewer_cpus_are_a_breach_for_a_role_but_the_task_may_bind_itself)
{
    const std::vector<Thread> narrowed{{4711, CpuSet({0})}};
    ck_assert(find_breach({{process_of("loader", CpuSet({0, 1}), narrowed)}, {}}));
    ck_assert(!find_breach({{process_of("", CpuSet({0, 1}), narrowed)}, {}}));
}
END_TEST

START_TEST(a_process_that_ended_breaks_nothing)
{
    ck_assert(!find_breach({{process_of("loader", CpuSet({0, 1}), {})}, {}}));
}
END_TEST

START_TEST(missing_huge_pages_are_a_breach)
{
    expect_text(text_of(find_breach({{}, {{2 << 20, 1u, "", 64, 12}}})),
                "pages=2048kB numa=1 promised=64 found=12 ");
    expect_text(text_of(find_breach({{}, {{2 << 20, {}, "/run/m", 64, 0}}})),
                "pages=2048kB mount=/run/m promised=64 found=0 ");
    ck_assert(!find_breach({{}, {{2 << 20, 1u, "", 64, 64}}}));
}
END_TEST

START_TEST(a_step_has_ended_when_all_its_tasks_have_and_the_batch_script_is_none)
{
    ProcessFinding batch = process_of("", CpuSet({0}), {}),
                   running = process_of("", CpuSet({0}), {{4711, CpuSet({0})}}),
                   over = process_of("", CpuSet({0}), {});
    batch.promised.step_id = 0xfffffffb;
    ck_assert(!has_ended_step({{batch}, {}}) && !has_ended_step({{}, {}}));
    ck_assert(!has_ended_step({{batch, over, running}, {}}));
    running.promised.step_id = 1;
    ck_assert(has_ended_step({{over, running}, {}}));
    ck_assert(is_of_srun(over.promised) && !is_of_srun(batch.promised));
}
END_TEST

START_TEST(tasks_that_live_without_their_stepd_are_told_from_a_step_that_has_ended)
{
    const contract::StepRecord step{3, {}, {}, {}, {800, 5}}, of_unknown{3, {}, {}, {}, {}};
    Findings findings{{process_of("", CpuSet({0}), {{4711, CpuSet({0})}})}, {}};
    findings.processes.front().promised.step_id = 3;
    ck_assert(has_left_tasks(step, false, findings) && !has_left_tasks(step, true, findings));
    ck_assert(!has_left_tasks(of_unknown, false, findings));
    findings.processes.front().threads.clear();
    ck_assert(!has_left_tasks(step, false, findings));
}
END_TEST

Suite* findings_suite()
{
    return make_suite("findings", threads_on_their_cpus_break_nothing,
                      a_thread_outside_its_cpus_is_a_breach_that_names_it,
                      fewer_cpus_are_a_breach_for_a_role_but_the_task_may_bind_itself,
                      a_process_that_ended_breaks_nothing, missing_huge_pages_are_a_breach,
                      a_step_has_ended_when_all_its_tasks_have_and_the_batch_script_is_none,
                      tasks_that_live_without_their_stepd_are_told_from_a_step_that_has_ended);
}
