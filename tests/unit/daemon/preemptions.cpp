// A job that is preempted with time to end, and a slurmctld that the test plays.
#include "daemon/requeue/preemptions.hpp"

#include <atomic>
#include <csignal>
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

constexpr recovery::Incarnation leaving_run{0, 2};

/// Node n1 of job 7 on n1 and n2.
class PreemptedNode {
public:
    explicit PreemptedNode(const std::string& self = "n1")
        : preemptions_(*loop_, jobs_,
                       {[self] { return self; }, [this](std::uint32_t) { return exit; },
                        [this](std::uint32_t) { return committed; }, [this](std::uint32_t) { return attached; }},
                       {[this](std::uint32_t) -> Result<bool> { return ++questions, to_requeue; },
                        [this](std::uint32_t) -> Result<void> { return ++requeues, Result<void>(); }})
    {
        set_sink([](Level, const std::string&) {});
        std::filesystem::create_directories(path_ + "/jobs");
        contract::LedgerRecord record;
        record.job_id = 7;
        record.started = 100;
        record.stage = contract::Stage::applied;
        record.contract = "ft.every=100";
        record.nodes = {"n1", "n2"};
        std::ofstream(path_ + "/jobs/7.json") << to_json(record).dump();
        jobs_.refresh();
    }
    PreemptedNode(const PreemptedNode&) = delete;
    PreemptedNode& operator=(const PreemptedNode&) = delete;
    ~PreemptedNode() { std::filesystem::remove_all(path_); }

    void pass(std::chrono::milliseconds time = 200ms)
    {
        loop_->after(time, [this] { loop_->stop(); });
        ck_assert(loop_->run().has_value());
    }
    void commit(std::uint64_t step) { committed = recovery::CommitRecord{7, leaving_run, 2, step, step}; }

    std::optional<JobExit> exit = JobExit{leaving_run, SIGTERM, 40};
    std::optional<recovery::CommitRecord> committed;
    bool attached = false, to_requeue = true;
    std::atomic<int> questions = 0, requeues = 0;

private:
    static std::string make_path()
    {
        char path[] = "/tmp/mscale-preemptions-XXXXXX";
        ck_assert(::mkdtemp(path) != nullptr);
        return path;
    }
    static contract::Site make_site(const std::string& path)
    {
        contract::Site site;
        site.state = path;
        return site;
    }

    std::string path_ = make_path();
    contract::Site site_ = make_site(path_);
    std::unique_ptr<Loop> loop_ = std::move(*Loop::create());
    Jobs jobs_{site_};
    Preemptions preemptions_;
};

START_TEST(a_preempted_job_is_requeued_once_when_its_last_snapshot_is_committed)
{
    PreemptedNode node;
    node.commit(30);
    node.pass();
    ck_assert(node.questions == 1 && node.requeues == 0);
    node.commit(40);
    node.pass();
    ck_assert(node.questions == 1 && node.requeues == 1);
}
END_TEST

START_TEST(a_job_that_ends_for_another_reason_is_left_alone)
{
    PreemptedNode node;
    node.to_requeue = false;
    node.commit(40);
    node.pass();
    ck_assert(node.questions == 1 && node.requeues == 0);
}
END_TEST

START_TEST(where_mscale_run_is_at_work_it_sees_to_that)
{
    PreemptedNode node;
    node.attached = true;
    node.commit(40);
    node.pass();
    ck_assert(node.requeues == 0);
}
END_TEST

START_TEST(a_snapshot_of_an_earlier_run_doesn_t_count)
{
    PreemptedNode node;
    node.committed = recovery::CommitRecord{7, {0, 1}, 2, 90, 90};
    node.pass();
    ck_assert(node.requeues == 0);
}
END_TEST

START_TEST(only_the_node_of_the_script_acts)
{
    PreemptedNode node("n2");
    node.commit(40);
    node.pass();
    ck_assert(node.questions == 0 && node.requeues == 0);
}
END_TEST

START_TEST(a_job_that_isn_t_to_end_raises_no_question)
{
    PreemptedNode node;
    node.exit.reset();
    node.pass();
    node.exit = JobExit{leaving_run, SIGTERM, std::nullopt};
    node.pass();
    ck_assert(node.questions == 0);
}
END_TEST

} // namespace

Suite* preemptions_suite()
{
    return make_suite("preemptions", a_preempted_job_is_requeued_once_when_its_last_snapshot_is_committed,
                      a_job_that_ends_for_another_reason_is_left_alone, where_mscale_run_is_at_work_it_sees_to_that,
                      a_snapshot_of_an_earlier_run_doesn_t_count, only_the_node_of_the_script_acts,
                      a_job_that_isn_t_to_end_raises_no_question);
}
