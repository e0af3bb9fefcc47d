#include "daemon/mscaled/restart_counts.hpp"

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

/// Job 7 on a node, and what slurmctld answers about it, one answer after the other.
class CountingNode {
public:
    explicit CountingNode(const std::string& contract)
    {
        set_sink([](Level, const std::string&) {});
        std::filesystem::create_directories(path_ + "/jobs");
        record.job_id = 7;
        record.started = 100;
        record.stage = contract::Stage::applied;
        record.contract = contract;
    }
    CountingNode(const CountingNode&) = delete;
    CountingNode& operator=(const CountingNode&) = delete;
    ~CountingNode() { std::filesystem::remove_all(path_); }

    /// What the node knows after it has seen the ledger and `wait` has gone by.
    std::optional<std::uint32_t> look(std::chrono::milliseconds wait)
    {
        std::ofstream(path_ + "/jobs/7.json") << to_json(record).dump();
        jobs.refresh();
        counts.follow();
        counts.follow(); // a second look asks nothing
        loop->after(wait, [this] { loop->stop(); });
        ck_assert(loop->run().has_value());
        return jobs.find(7)->restarts;
    }

    contract::LedgerRecord record;
    std::deque<Result<JobFacts>> answers;
    int asked = 0;

private:
    Result<JobFacts> answer()
    {
        ++asked;
        if (answers.empty()) return failure(Code::node_act, "no answer");
        auto next = answers.front();
        answers.pop_front();
        return next;
    }

    static contract::Site make_site(std::string& path)
    {
        ck_assert_ptr_nonnull(mkdtemp(path.data()));
        contract::Site site;
        site.state = path;
        return site;
    }

    std::string path_ = "/tmp/mscale-counts.XXXXXX";
    contract::Site site_ = make_site(path_);
    std::unique_ptr<Loop> loop = std::move(*Loop::create());
    Jobs jobs{site_};
    Worker slurm{*loop};
    RestartCounts counts{*loop, jobs, slurm, [this](std::uint32_t) { return answer(); }};
};

JobFacts run(std::uint32_t restarts, bool completing = false)
{
    JobFacts facts;
    facts.job_id = 7;
    facts.restarts = restarts;
    facts.running = true;
    facts.completing = completing;
    return facts;
}

} // namespace

START_TEST(a_run_is_asked_about_once_and_its_next_run_again)
{
    CountingNode node("ft.every=100");
    node.answers = {run(0), run(1)};
    ck_assert(node.look(50ms) == 0U);
    node.record.started = 200;
    ck_assert(node.look(50ms) == 1U);
    ck_assert_int_eq(node.asked, 2);
}
END_TEST

START_TEST(slurmctld_that_did_not_answer_is_asked_again)
{
    CountingNode node("ft.every=100");
    node.answers = {failure(Code::node_act, "slurmctld is away"), run(3)};
    ck_assert(node.look(1300ms) == 3U);
}
END_TEST

START_TEST(the_count_of_a_job_that_is_being_ended_is_not_believed)
{
    CountingNode node("ft.every=100");
    node.answers = {run(1, true)};
    ck_assert(node.look(50ms) == std::nullopt);
}
END_TEST

START_TEST(slurmctld_is_not_asked_about_a_job_without_snapshots)
{
    CountingNode node("role.loader.cores=1");
    ck_assert(node.look(50ms) == std::nullopt);
    ck_assert_int_eq(node.asked, 0);
}
END_TEST

Suite* restart_counts_suite()
{
    return make_suite("restart_counts", a_run_is_asked_about_once_and_its_next_run_again,
                      slurmctld_that_did_not_answer_is_asked_again,
                      the_count_of_a_job_that_is_being_ended_is_not_believed,
                      slurmctld_is_not_asked_about_a_job_without_snapshots);
}
