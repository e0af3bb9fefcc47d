#include "daemon/requeue/departed_jobs.hpp"

#include <cstdlib>
#include <filesystem>

#include "base/log.hpp"
#include "contract/kept_job.hpp"
#include "tests/unit/daemon/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;
using namespace std::chrono_literals;
using Numbers = std::vector<std::uint32_t>;

namespace {

/// A node that jobs have left, and what slurmctld says of each.
class DepartedNode {
public:
    DepartedNode()
    {
        set_sink([](Level, const std::string&) {});
        for (const std::uint32_t job_id : {7U, 8U})
            ck_assert(contract::write_kept_job(path_, {job_id, 1001, 100, "", "x", {}, {}}).has_value());
    }
    DepartedNode(const DepartedNode&) = delete;
    DepartedNode& operator=(const DepartedNode&) = delete;
    ~DepartedNode() { std::filesystem::remove_all(path_); }

    void leave(std::uint32_t job_id)
    {
        departed_.leave(job_id);
        turn();
    }
    void look()
    {
        departed_.look();
        turn();
    }
    Numbers kept() const { return contract::list_kept_jobs(path_); }

    std::map<std::uint32_t, Result<JobFacts>> facts;
    std::map<std::uint32_t, std::uint64_t> bytes; ///< that snapshots of each job take
    Numbers freed, forgotten, spilled;
    std::vector<bool> held; ///< what slurmctld was told
    bool slow = false; ///< the files take their time
    std::vector<std::function<void()>> writing;

private:
    static contract::Site make_site(std::string& path)
    {
        ck_assert_ptr_nonnull(mkdtemp(path.data()));
        contract::Site site;
        site.state = path;
        site.held_memory = 100;
        return site;
    }
    void turn()
    {
        loop_->after(50ms, [this] { loop_->stop(); });
        ck_assert(loop_->run().has_value());
    }

    std::string path_ = "/tmp/mscale-departed.XXXXXX";
    contract::Site site_ = make_site(path_);
    std::unique_ptr<Loop> loop_ = std::move(*Loop::create());
    Jobs jobs_{site_};
    Worker slurm_{*loop_};
    DepartedJobs departed_{*loop_,
                           site_,
                           jobs_,
                           slurm_,
                           {[this](std::uint32_t job_id) { return bytes[job_id]; },
                            [this](std::uint32_t job_id) {
                                freed.push_back(job_id);
                                bytes[job_id] = 0;
                            },
                            [this](std::uint32_t job_id) { forgotten.push_back(job_id); },
                            [this](std::uint32_t job_id, std::function<void()> then) {
                                spilled.push_back(job_id);
                                if (slow) return writing.push_back(std::move(then));
                                then();
                            }},
                           [this](std::uint32_t job_id) { return facts.at(job_id); },
                           [this](const JobFacts& told) -> Result<void> {
                               held.push_back(told.held);
                               return {};
                           }};
};

JobFacts waiting()
{
    JobFacts facts;
    facts.pending = true;
    return facts;
}

JobFacts ended()
{
    JobFacts facts;
    facts.ended = true;
    return facts;
}

} // namespace

START_TEST(what_is_over_the_limit_goes_and_the_oldest_first)
{
    ck_assert(choose_freed({{1, 40}, {2, 40}, {3, 40}}, 120).empty());
    ck_assert(choose_freed({{1, 40}, {2, 40}, {3, 40}}, 119) == Numbers({1}));
    ck_assert(choose_freed({{1, 0}, {2, 40}, {3, 40}}, 40) == Numbers({2}));
    ck_assert(choose_freed({{1, 40}}, 0) == Numbers({1}));
}
END_TEST

START_TEST(nothing_stays_of_a_job_that_has_ended)
{
    DepartedNode node;
    node.facts = {{7, ended()}, {8, failure(Code::no_such_job, "unknown")}};
    node.leave(7);
    node.leave(8);
    ck_assert(node.forgotten == Numbers({7, 8}) && node.kept().empty());
}
END_TEST

START_TEST(a_job_that_may_run_again_keeps_what_the_site_allows_until_it_ends)
{
    DepartedNode node;
    node.facts = {{7, waiting()}, {8, waiting()}};
    node.bytes = {{7, 60}, {8, 60}};
    node.leave(8);
    ck_assert(node.freed.empty());
    node.leave(7);
    ck_assert(node.freed == Numbers({8}) && node.forgotten.empty() && node.kept() == Numbers({7, 8}));
    node.facts.at(7) = ended();
    node.look();
    ck_assert(node.forgotten == Numbers({7}) && node.kept() == Numbers({8}));
}
END_TEST

START_TEST(a_job_that_is_held_is_told_to_wait_for_an_operator_and_its_memory_goes_last)
{
    DepartedNode node;
    node.facts.emplace(7, waiting());
    node.facts.emplace(8, waiting());
    node.facts.at(7)->held = true;
    node.bytes = {{7, 60}, {8, 60}};
    node.leave(7);
    node.leave(8);
    ck_assert(node.freed == Numbers({8}) && node.held == std::vector<bool>({true}));
    node.facts.at(7)->held = false;
    node.look();
    ck_assert(node.held == std::vector<bool>({true, false}) && node.bytes[7] == 60);
}
END_TEST

START_TEST(a_job_that_did_not_end_well_is_written_to_its_files_before_its_memory_goes)
{
    for (const JobFacts& facts : {ended(), waiting()}) {
        DepartedNode node;
        node.slow = true;
        node.facts = {{7, facts}};
        node.bytes = {{7, 1000}};
        node.leave(7);
        node.look();
        ck_assert(node.spilled == Numbers({7}) && node.freed.empty() && node.forgotten.empty());
        node.writing.front()();
        node.look();
        ck_assert(node.spilled == Numbers({7}) && (facts.ended ? node.forgotten : node.freed) == Numbers({7}));
    }
}
END_TEST

START_TEST(a_job_that_completed_is_written_nowhere)
{
    DepartedNode node;
    JobFacts completed = ended();
    completed.completed = true;
    node.facts = {{7, completed}, {8, failure(Code::no_such_job, "unknown")}};
    node.leave(7);
    node.leave(8);
    ck_assert(node.spilled.empty() && node.forgotten == Numbers({7, 8}));
}
END_TEST

START_TEST(nothing_goes_while_slurmctld_does_not_answer)
{
    DepartedNode node;
    node.facts = {{7, failure(Code::node_act, "away")}};
    node.bytes = {{7, 1000}};
    node.leave(7);
    ck_assert(node.freed.empty() && node.forgotten.empty());
}
END_TEST

Suite* departed_jobs_suite()
{
    return make_suite("departed_jobs", what_is_over_the_limit_goes_and_the_oldest_first,
                      nothing_stays_of_a_job_that_has_ended,
                      a_job_that_may_run_again_keeps_what_the_site_allows_until_it_ends,
                      a_job_that_is_held_is_told_to_wait_for_an_operator_and_its_memory_goes_last,
                      a_job_that_did_not_end_well_is_written_to_its_files_before_its_memory_goes,
                      a_job_that_completed_is_written_nowhere, nothing_goes_while_slurmctld_does_not_answer);
}
