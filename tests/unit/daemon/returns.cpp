#include "daemon/requeue/returns.hpp"

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>

#include "base/json.hpp"
#include "base/log.hpp"
#include "tests/unit/daemon/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;
using namespace std::chrono_literals;

namespace {

DeadNode dead(const std::string& node, bool down = true)
{
    DeadNode dead;
    dead.node = node;
    if (down) dead.down = 1ms;
    return dead;
}

JobView view(std::vector<DeadNode> dead_nodes)
{
    return {{"n1", "n2", "n3"}, std::move(dead_nodes), {}};
}

JobFacts running(std::uint32_t restarts)
{
    JobFacts facts;
    facts.restarts = restarts;
    facts.running = true;
    return facts;
}

JobFacts waiting(std::int64_t begins, bool completing)
{
    JobFacts facts;
    facts.pending = true;
    facts.begins = begins;
    facts.completing = completing;
    return facts;
}

/// Node n1 of job 7, which has lost n2, and a slurmctld that says one thing after the other.
class ReturningNode {
public:
    ReturningNode()
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
        jobs_.learn_restarts(7, 0);
    }
    ReturningNode(const ReturningNode&) = delete;
    ReturningNode& operator=(const ReturningNode&) = delete;
    ~ReturningNode() { std::filesystem::remove_all(path_); }

    void run(std::chrono::milliseconds time)
    {
        loop_->after(time, [this] { loop_->stop(); });
        ck_assert(loop_->run().has_value());
    }

    bool attached = false;
    std::deque<JobFacts> facts; ///< the last is said again and again
    std::vector<std::string> log;

private:
    static contract::Site make_site(std::string& path)
    {
        ck_assert_ptr_nonnull(mkdtemp(path.data()));
        contract::Site site;
        site.state = path;
        return site;
    }
    Result<JobFacts> load()
    {
        const JobFacts next = facts.front();
        if (facts.size() > 1) facts.pop_front();
        return next;
    }
    Result<void> note(const std::string& what)
    {
        log.push_back(what);
        return {};
    }
    Result<void> hurry()
    {
        facts = {waiting(0, false)};
        return note("hurry");
    }

    std::string path_ = "/tmp/mscale-returns.XXXXXX";
    contract::Site site_ = make_site(path_);
    std::unique_ptr<Loop> loop_ = std::move(*Loop::create());
    Jobs jobs_{site_};
    Returns returns_{*loop_,
                     jobs_,
                     {[] { return "n1"; },
                      [](std::uint32_t) { return std::optional(view({dead("n2")})); },
                      [this](std::uint32_t) { return attached; }, [this](std::uint32_t) { log.push_back("end ranks"); }},
                     {[this](std::uint32_t) { return load(); }, [this](std::uint32_t) { return note("requeue"); },
                      [this](std::uint32_t) { return hurry(); }}};
};

} // namespace

START_TEST(the_first_node_that_lives_acts_when_all_dead_ones_are_down)
{
    ck_assert((plan_return(view({}), "n1", false) == ReturnPlan{false, false}));
    ck_assert((plan_return(view({dead("n2")}), "n1", false) == ReturnPlan{true, true}));
    ck_assert((plan_return(view({dead("n2")}), "n3", false) == ReturnPlan{false, false}));
    ck_assert((plan_return(view({dead("n2", false)}), "n1", false) == ReturnPlan{false, false}));
    ck_assert((plan_return(view({dead("n1"), dead("n2")}), "n3", false) == ReturnPlan{true, true}));
}
END_TEST

START_TEST(a_job_that_mscale_run_brings_back_is_requeued_only_when_its_batch_host_is_dead)
{
    ck_assert((plan_return(view({dead("n2")}), "n1", true) == ReturnPlan{true, false}));
    ck_assert((plan_return(view({dead("n1")}), "n2", true) == ReturnPlan{true, true}));
}
END_TEST

START_TEST(what_is_next_follows_from_what_slurmctld_says)
{
    const ReturnPlan requeue{true, true}, leave{true, false};
    ck_assert(next_step(running(0), 0, requeue, false, 100) == ReturnStep::requeue);
    ck_assert(next_step(running(0), 0, requeue, true, 100) == ReturnStep::look);
    ck_assert(next_step(running(0), 0, leave, false, 100) == ReturnStep::look);
    ck_assert(next_step(running(1), 0, requeue, true, 100) == ReturnStep::end);
    ck_assert(next_step(waiting(221, true), 0, requeue, true, 100) == ReturnStep::look); // Slurm will set it anew
    ck_assert(next_step(waiting(221, false), 0, requeue, true, 100) == ReturnStep::hurry);
    ck_assert(next_step(waiting(100, false), 0, requeue, true, 100) == ReturnStep::look); // perhaps not yet
    ck_assert(next_step(running(1), 0, leave, false, 100) == ReturnStep::end);
}
END_TEST

START_TEST(a_job_without_mscale_run_is_requeued_once_and_hurried_until_it_may_begin)
{
    ReturningNode node;
    node.facts = {running(0), running(0), waiting(0, true), waiting(std::int64_t{1} << 40, false)};
    node.run(900ms);
    ck_assert(node.log == std::vector<std::string>({"requeue", "end ranks", "hurry"}));
}
END_TEST

START_TEST(a_job_with_mscale_run_is_left_to_it_unless_slurm_requeues_it)
{
    ReturningNode node;
    node.attached = true;
    node.facts = {running(0), running(0)};
    node.run(400ms);
    ck_assert(node.log.empty());
    node.facts = {waiting(std::int64_t{1} << 40, false)};
    node.run(600ms);
    ck_assert(node.log == std::vector<std::string>({"end ranks", "hurry"}));
}
END_TEST

Suite* returns_suite()
{
    return make_suite("returns", the_first_node_that_lives_acts_when_all_dead_ones_are_down,
                      a_job_that_mscale_run_brings_back_is_requeued_only_when_its_batch_host_is_dead,
                      what_is_next_follows_from_what_slurmctld_says,
                      a_job_without_mscale_run_is_requeued_once_and_hurried_until_it_may_begin,
                      a_job_with_mscale_run_is_left_to_it_unless_slurm_requeues_it);
}
