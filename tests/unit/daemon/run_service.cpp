// What mscaled tells `mscale run` of a job.
#include "daemon/mscaled/run_service.hpp"

#include "base/json.hpp"
#include "tests/unit/daemon/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;

namespace {

using std::chrono::milliseconds;

NodeProgress node(std::uint32_t step_id, std::uint64_t step, std::uint32_t left = 0, int restored = 900)
{
    return {2, left, step, step + 5, milliseconds(restored), {0, step_id}, 2};
}

} // namespace

START_TEST(the_ranks_of_all_nodes_are_counted_together)
{
    const JobProgress whole = join_progress({{"n1", node(3, 650, 1)}, {"n2", node(3, 640, 2, 950)}});
    ck_assert(whole == (JobProgress{{0, 3}, 4, 3, 640, milliseconds(950), "n2", 4}));
}
END_TEST

START_TEST(nodes_that_tell_of_an_earlier_run_are_left_out)
{
    const JobProgress whole = join_progress({{"n1", node(3, 650)}, {"n2", node(4, 600)}, {"n3", {}}});
    ck_assert(whole.run.step == 4 && whole.joined == 2 && whole.least_step == 600 && whole.slowest.empty());
}
END_TEST

START_TEST(ranks_of_one_node_that_can_t_train_yet_hold_up_all)
{
    const JobProgress whole = join_progress({{"n1", node(3, 650)}, {"n2", node(3, 650, 0, 0)}});
    ck_assert(whole.restored_at.count() == 0 && whole.slowest.empty());
    ck_assert(join_progress({{"n1", node(3, 650, 0, 0)}, {"n2", node(3, 650)}}).restored_at.count() == 0);
    ck_assert(join_progress({}) == JobProgress{});
}
END_TEST

START_TEST(only_a_job_of_this_node_is_told_of)
{
    contract::Site site;
    site.state = "/nonexistent";
    const Jobs jobs(site);
    RunService service(site, jobs,
                       {[](std::uint32_t) { return JobView{}; },
                        [](std::uint32_t) { return std::optional<recovery::CommitRecord>(); },
                        [](std::uint32_t) { return std::optional<JobExit>(); },
                        [](std::uint32_t, const recovery::Incarnation&, std::uint32_t) {},
                        [](std::uint32_t) { return std::vector<std::pair<std::string, LostPart>>(); },
                        [](std::uint32_t) { return std::optional<GoneRanks>(); },
                        [](std::uint32_t, const recovery::Incarnation&) {}});
    ck_assert(service.answer({0, 1}, 7, {})["error"]["code"] == "MSC-N006");
    ck_assert(!service.is_attached(7));
}
END_TEST

Suite* run_service_suite()
{
    return make_suite("run_service", the_ranks_of_all_nodes_are_counted_together,
                      nodes_that_tell_of_an_earlier_run_are_left_out,
                      ranks_of_one_node_that_can_t_train_yet_hold_up_all, only_a_job_of_this_node_is_told_of);
}
