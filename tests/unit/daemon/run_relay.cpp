// `mscale run` on a node that has nothing of the job.
#include "daemon/mscaled/run_relay.hpp"

#include <unistd.h>

#include "base/json.hpp"
#include "daemon/mscaled/message.hpp"
#include "tests/unit/daemon/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;

namespace {

/// Job 7 of uid 1000 on n1, which isn't set up, and n2.
struct Salloc {
    std::unique_ptr<Loop> loop = std::move(*Loop::create());
    Worker questions{*loop};
    unsigned loads = 0;
    bool is_silent = false;
    std::vector<std::string> called;
    std::vector<std::string> answers;
    RunRelay relay{questions,
                   [this](std::uint32_t job_id) -> Result<JobFacts> {
                       ++loads;
                       JobFacts facts;
                       facts.job_id = job_id;
                       facts.uid = 1000;
                       facts.nodes = {"n1", "n2"};
                       return facts;
                   },
                   [this](const std::string& node, const Json& body, const std::function<void(Result<Json>)>& answered) {
                       called.push_back(node + " " + std::to_string(body.at("uid").get<int>()));
                       if (is_silent) return answered(failure(Code::peer, "silent"));
                       if (node == "n1") return answered(failure(Code::no_such_job, "no ledger"));
                       answered(ok_with({{"keeps_snapshots", true}}));
                   }};

    void ask(uid_t uid, pid_t pid)
    {
        relay.ask({uid, pid}, 7, {{"op", "run"}, {"job", 7}}, [this](const Json& answer) {
            const auto error = error_of(answer);
            answers.push_back(std::string(error ? entry_of(error->code).id : "ok"));
        });
        loop->after(std::chrono::milliseconds(100), [this] { loop->stop(); });
        ck_assert(loop->run().has_value());
    }
};

} // namespace

START_TEST(the_first_node_that_knows_the_job_answers_and_slurmctld_is_asked_once)
{
    Salloc salloc;
    salloc.ask(1000, getpid());
    salloc.ask(1000, getpid());
    ck_assert(salloc.answers == (std::vector<std::string>{"ok", "ok"}) && salloc.loads == 1);
    ck_assert(salloc.called == (std::vector<std::string>{"n1 1000", "n2 1000", "n1 1000", "n2 1000"}));
}
END_TEST

START_TEST(another_user_and_a_second_run_are_refused)
{
    Salloc salloc;
    salloc.ask(1000, getpid());
    salloc.ask(1001, getpid());
    salloc.ask(1000, getppid());
    ck_assert(salloc.answers == (std::vector<std::string>{"ok", "MSC-N005", "MSC-R023"}));
}
END_TEST

START_TEST(nodes_that_fell_silent_are_asked_for_anew)
{
    Salloc salloc;
    salloc.is_silent = true;
    salloc.ask(1000, getpid());
    salloc.is_silent = false;
    salloc.ask(1000, getpid());
    ck_assert(salloc.answers == (std::vector<std::string>{"MSC-N004", "ok"}) && salloc.loads == 2);
}
END_TEST

Suite* run_relay_suite()
{
    return make_suite("run_relay", the_first_node_that_knows_the_job_answers_and_slurmctld_is_asked_once,
                      another_user_and_a_second_run_are_refused, nodes_that_fell_silent_are_asked_for_anew);
}
