#include "daemon/requeue/waiting_stepds.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/json.hpp"
#include "base/log.hpp"
#include "tests/unit/daemon/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;
using namespace std::chrono_literals;

namespace {

DeadNode dead_host(const std::string& node, bool by_mscale)
{
    DeadNode dead;
    dead.node = node;
    dead.down = 1ms;
    dead.by_mscale = by_mscale;
    return dead;
}

/// Node n2 of job 7, whose batch host is n1, and what its daemon does.
class WaitingNode {
public:
    explicit WaitingNode(contract::EndWait end_wait) : site_(make_site(path_, end_wait))
    {
        set_sink([](Level, const std::string&) {});
        std::filesystem::create_directories(path_ + "/jobs");
        contract::LedgerRecord record;
        record.job_id = 7;
        record.started = 100;
        record.stage = contract::Stage::applied;
        record.contract = "ft.every=100";
        std::ofstream(path_ + "/jobs/7.json") << to_json(record).dump();
        jobs_.refresh();
    }
    WaitingNode(const WaitingNode&) = delete;
    WaitingNode& operator=(const WaitingNode&) = delete;
    ~WaitingNode() { std::filesystem::remove_all(path_); }

    void run(std::chrono::milliseconds time)
    {
        if (!waiting_) waiting_.emplace(*loop_, site_, jobs_, make_view(), make_acts());
        loop_->after(time, [this] { loop_->stop(); });
        ck_assert(loop_->run().has_value());
    }
    /// The job leaves the node after a while.
    void leave_after(std::chrono::milliseconds time)
    {
        loop_->after(time, [this] {
            std::filesystem::remove(path_ + "/jobs/7.json");
            jobs_.refresh();
        });
    }

    JobView view{{"n1", "n2"}, {dead_host("n1", true)}, {}};
    std::vector<std::string> routes; ///< of an earlier daemon
    bool is_down = true;
    unsigned turns = 0;
    std::vector<std::string> log;

private:
    static contract::Site make_site(std::string& path, contract::EndWait end_wait)
    {
        ck_assert_ptr_nonnull(mkdtemp(path.data()));
        contract::Site site;
        site.state = path;
        site.end_wait = end_wait;
        return site;
    }
    WaitingStepds::View make_view()
    {
        return {[this](std::uint32_t) { return std::optional(view); },
                [](const std::string&, const auto& located) { located(resolve_host("10.9.9.9", 1)); }};
    }
    StepdActs make_acts()
    {
        return {[this](std::uint32_t, const NodeAddress&) -> Result<unsigned> { return ++turns == 1 ? 2U : 0U; },
                [this](const LocalJob& job, const std::string& address) {
                    return note("lease " + std::to_string(job.record.job_id) + " " + address);
                },
                [this](const std::string& address) { return note("remove " + address); },
                [this]() -> Result<std::vector<std::string>> { return routes; },
                [this](const std::string&) -> Result<bool> { return is_down; }};
    }
    Result<void> note(const std::string& what)
    {
        log.push_back(what);
        return {};
    }

    std::string path_ = "/tmp/mscale-waiting.XXXXXX";
    contract::Site site_;
    std::unique_ptr<Loop> loop_ = std::move(*Loop::create());
    Jobs jobs_{site_};
    std::optional<WaitingStepds> waiting_;
};

} // namespace

START_TEST(connections_to_the_dead_batch_host_are_ended_until_the_job_has_left)
{
    WaitingNode node(contract::EndWait::tasks);
    node.leave_after(500ms);
    node.run(700ms);
    const unsigned turns = node.turns;
    ck_assert_uint_gt(turns, 2);
    node.run(300ms);
    ck_assert_uint_eq(node.turns, turns);
    ck_assert(node.log.empty());
}
END_TEST

START_TEST(nothing_is_done_unless_mscale_has_set_the_batch_host_down)
{
    WaitingNode node(contract::EndWait::tasks);
    node.view.dead = {dead_host("n1", false)}; // somebody else has
    node.run(400ms);
    node.view.dead = {dead_host("n2", true)}; // it isn't the batch host
    node.run(400ms);
    node.view.dead = {dead_host("n1", true)};
    node.view.dead[0].down.reset();
    node.run(400ms);
    ck_assert_uint_eq(node.turns, 0);
}
END_TEST

START_TEST(by_default_nothing_is_done)
{
    ck_assert(contract::Site().end_wait == contract::EndWait::no);
    WaitingNode node(contract::EndWait::no);
    node.run(400ms);
    ck_assert(node.turns == 0 && node.log.empty());
}
END_TEST

START_TEST(a_route_is_leased_once)
{
    WaitingNode node(contract::EndWait::route);
    node.run(700ms);
    ck_assert(node.turns == 0 && node.log == std::vector<std::string>{"lease 7 10.9.9.9"});
}
END_TEST

START_TEST(a_route_goes_when_the_host_is_back)
{
    WaitingNode node(contract::EndWait::route);
    node.is_down = false;
    node.run(2500ms);
    ck_assert(node.log == std::vector<std::string>({"lease 7 10.9.9.9", "remove 10.9.9.9"}));
}
END_TEST

START_TEST(a_route_goes_when_its_job_has_left_the_node)
{
    WaitingNode node(contract::EndWait::route);
    node.leave_after(500ms);
    node.run(2500ms);
    ck_assert(node.log == std::vector<std::string>({"lease 7 10.9.9.9", "remove 10.9.9.9"}));
}
END_TEST

Suite* waiting_stepds_suite()
{
    return make_suite("waiting_stepds", connections_to_the_dead_batch_host_are_ended_until_the_job_has_left,
                      nothing_is_done_unless_mscale_has_set_the_batch_host_down, by_default_nothing_is_done,
                      a_route_is_leased_once, a_route_goes_when_the_host_is_back,
                      a_route_goes_when_its_job_has_left_the_node);
}
