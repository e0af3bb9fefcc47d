#include "base/json.hpp"
#include "base/text.hpp"
#include "tests/unit/verdict/machines.hpp"
#include "tests/unit/verdict/suites.hpp"

using namespace mscale;
using namespace mscale::contract;

namespace {

Verdict rich_verdict()
{
    return judge("gpu.sm=20,role.loader.cores=2,role.loader.near=gpu,role.loader.hugepages=2MiB*64,role."
                 "loader.disk=nvme,"
                 "rdma.port=mlx5_0:1",
                 two_sockets(), {.cpus = {}, .tasks = 2, .gpus = {}, .sm_slices = {}});
}

} // namespace

START_TEST(a_plan_comes_back_from_json_as_it_went)
{
    const Plan plan = rich_verdict().plan;
    const auto again = plan_from_json(to_json(plan), "test");
    ck_assert_msg(again.has_value(), "%s", again ? "" : again.error().text.c_str());
    ck_assert(*again == plan);
}
END_TEST

START_TEST(a_plan_with_a_member_missing_is_an_error_that_names_it)
{
    Json json = to_json(rich_verdict().plan);
    json["workers"][1].erase("main");
    const auto again = plan_from_json(json, "test");
    ck_assert(!again);
    expect_part(again.error().text, "main");
    expect_part(again.error().text, "workers");
}
END_TEST

START_TEST(a_refusal_comes_back_from_json_as_it_went)
{
    const Refusal refusal = judge("role.a.cores=99", two_sockets()).refusals.at(0);
    ck_assert(refusal_from_json(to_json(refusal), "test").value() == refusal);
    Json broken = to_json(refusal);
    broken["code"] = "MSC-V999";
    ck_assert(!refusal_from_json(broken, "test"));
}
END_TEST

START_TEST(the_drawing_shows_cores_pages_devices_and_legend)
{
    const std::string text = draw_plan(rich_verdict().plan, two_sockets(), 100);
    expect_part(text, "NUMA node 0  CPUs 0-3,8-11");
    expect_part(text, "cores  aa..");
    expect_part(text, "cores  bb..");
    expect_part(text, "64 of 1000 free pages of 2 MiB");
    expect_part(text, "GPU 0 (0000:11:00.0)  AAA.............  worker 0: 24 of 132 SMs");
    expect_part(text, "nvme1n1  worker 1, role loader");
    expect_part(text, "a  worker 0, role loader: CPUs 0-1,8-9");
}
END_TEST

START_TEST(a_mark_stands_for_one_role_and_the_last_for_all_further_ones)
{
    hal::Machine machine = two_sockets();
    machine.cores.clear();
    machine.online = cpus("0-39");
    machine.numa[0].cpus = cpus("0-39");
    machine.numa[1].cpus = {};
    Plan plan;
    plan.workers.emplace_back();
    for (unsigned cpu = 0; cpu < 40; ++cpu) {
        machine.cores.push_back({cpu, 0, 0, false, CpuSet({cpu})});
        RolePlan role;
        role.name = format("r{}", cpu);
        role.cpus = CpuSet({cpu});
        plan.workers[0].roles.push_back(role);
    }
    const std::string text = draw_plan(plan, machine, 200);
    expect_part(text, "cores  abcdefghijklmnopqrstuvwxyz0123456789++++\n");
    expect_part(text, "0  worker 0, role r26: CPUs 26\n");
    expect_part(text, "+  worker 0, role r39: CPUs 39\n");
}
END_TEST

START_TEST(no_line_of_the_drawing_is_wider_than_asked)
{
    const std::string text = draw_plan(rich_verdict().plan, two_sockets(), 40);
    std::size_t start = 0;
    for (std::size_t end; (end = text.find('\n', start)) != std::string::npos; start = end + 1)
        ck_assert_uint_le(end - start, 40);
}
END_TEST

Suite* plan_suite()
{
    return make_suite(
        "plan", a_plan_comes_back_from_json_as_it_went,
        a_plan_with_a_member_missing_is_an_error_that_names_it, a_refusal_comes_back_from_json_as_it_went,
        the_drawing_shows_cores_pages_devices_and_legend,
        a_mark_stands_for_one_role_and_the_last_for_all_further_ones, no_line_of_the_drawing_is_wider_than_asked);
}
