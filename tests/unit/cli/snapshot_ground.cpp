#include "cli/snapshot_ground.hpp"

#include "tests/unit/cli/suites.hpp"

using namespace mscale;
using namespace mscale::cli;

namespace {

SlurmView sparing(std::vector<std::uint64_t> spared)
{
    SlurmView view;
    view.counts_memory = true;
    for (const std::uint64_t mib : spared) {
        SlurmNode& node = view.nodes.emplace_back();
        node.name = "n" + std::to_string(view.nodes.size());
        node.memory_mib = 4096;
        node.spared_memory_mib = mib;
    }
    return view;
}

contract::Site site_holding(std::uint64_t mib)
{
    contract::Site site;
    site.held_memory = mib << 20;
    return site;
}

bool has(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

START_TEST(held_memory_must_lie_inside_what_slurm_hands_out_on_no_node)
{
    ck_assert(judge_held_memory(site_holding(512), sparing({512, 1024})).cure.empty());
    const Ground ground = judge_held_memory(site_holding(512), sparing({512, 511, 0}));
    ck_assert(has(ground.found, "on 2 of 3 nodes: n2,n3") && has(ground.cure, "MemSpecLimit=512"));
    ck_assert(!judge_held_memory(site_holding(8192), sparing({9000})).cure.empty()); // more than the node has
}
END_TEST

START_TEST(a_site_that_holds_nothing_needs_nothing_and_one_whose_slurm_counts_no_memory_cannot_hold)
{
    const Ground none = judge_held_memory({}, sparing({0}));
    ck_assert(none.cure.empty() && has(none.found, "none"));
    SlurmView view = sparing({512});
    view.counts_memory = false;
    ck_assert(has(judge_held_memory(site_holding(512), view).cure, "CR_Core_Memory"));
}
END_TEST

START_TEST(many_nodes_are_counted_and_some_named)
{
    const Ground ground = judge_held_memory(site_holding(1), sparing(std::vector<std::uint64_t>(20, 0)));
    ck_assert(has(ground.found, "n8 and 12 more") && !has(ground.found, "n9"));
}
END_TEST

START_TEST(who_is_charged_is_told_by_the_task_plugins)
{
    SlurmView view;
    for (const char* plugins : {"task/affinity,task/cgroup", "cgroup,affinity"}) {
        view.task_plugins = plugins;
        ck_assert(has(judge_charging(view).found, "charged to the job"));
    }
    view.task_plugins = "task/affinity";
    ck_assert(has(judge_charging(view).found, "charged to mscaled") && judge_charging(view).cure.empty());
}
END_TEST

Suite* snapshot_ground_suite()
{
    Suite* suite = suite_create("snapshot_ground");
    TCase* tests = tcase_create("snapshot_ground");
    tcase_add_test(tests, held_memory_must_lie_inside_what_slurm_hands_out_on_no_node);
    tcase_add_test(tests, a_site_that_holds_nothing_needs_nothing_and_one_whose_slurm_counts_no_memory_cannot_hold);
    tcase_add_test(tests, many_nodes_are_counted_and_some_named);
    tcase_add_test(tests, who_is_charged_is_told_by_the_task_plugins);
    suite_add_tcase(suite, tests);
    return suite;
}
