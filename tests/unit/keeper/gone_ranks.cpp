// Ranks that end without a word, on two nodes whose messages arrive at once.
#include "daemon/keeper/gone_ranks.hpp"

#include <csignal>
#include <map>
#include <memory>

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.hpp"
#include "base/text.hpp"
#include "daemon/mscaled/message.hpp"
#include "tests/unit/keeper/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;
using namespace std::chrono_literals;

namespace {

constexpr recovery::Incarnation earlier{0, 0}, later{0, 1};

class WatchingNodes {
public:
    WatchingNodes()
    {
        for (const std::string name : {"n1", "n2"}) {
            Keepers::Network network;
            network.self = [name] { return name; };
            network.call = [this](const std::string& to, const std::string& op, const Json& body,
                                  const Keepers::Answered& answered) {
                if (dead == to) return answered(failure(Code::peer, "silent"));
                nodes_[to].watch->answer(op, body, [answered](const Json& answer) {
                    if (auto error = error_of(answer)) return answered(tl::unexpected(std::move(*error)));
                    answered(answer);
                });
            };
            network.is_dead = [](std::uint32_t, const std::string&) { return false; };
            Node& node = nodes_[name];
            node.keepers = std::make_unique<Keepers>(
                std::move(network), [](std::uint32_t) { return std::vector<std::string>{"n1", "n2"}; },
                [this, name](const std::string& op, const Json& body, const Keepers::Answer& answer) {
                    nodes_[name].watch->answer(op, body, answer);
                });
            node.watch = std::make_unique<GoneWatch>(
                *loop, *node.keepers, [this, name](std::uint32_t job_id, const recovery::Incarnation& run) {
                    killed.push_back(format("{} {} {}", name, job_id, run.step));
                });
        }
    }
    GoneWatch& at(const char* name) { return *nodes_[name].watch; }
    void run_for(std::chrono::milliseconds time)
    {
        loop->after(time, [this] { loop->stop(); });
        ck_assert(loop->run().has_value());
    }

    std::unique_ptr<Loop> loop = std::move(*Loop::create());
    std::string dead;
    std::vector<std::string> killed;

private:
    struct Node {
        std::unique_ptr<Keepers> keepers;
        std::unique_ptr<GoneWatch> watch;
    };
    std::map<std::string, Node> nodes_;
};

recovery::Owner lost_rank(std::uint32_t rank, const recovery::Incarnation& run = later)
{
    return {7, 1000, rank, 2, run};
}

/// A Slurm task that lives until it is killed.
struct Task {
    Task()
    {
        if (pid == 0) {
            ::pause();
            ::_exit(0);
        }
    }
    Fd open() const { return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))); }
    void end()
    {
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
    }
    pid_t pid = ::fork();
};

START_TEST(a_rank_is_gone_for_all_nodes_when_its_task_has_ended_too)
{
    WatchingNodes nodes;
    Task task;
    nodes.at("n2").wait(lost_rank(1), task.open(), 3);
    nodes.run_for(50ms);
    ck_assert(!nodes.at("n1").find(7) && !nodes.at("n2").find(7)); // a launcher in it may begin another
    task.end();
    nodes.run_for(50ms);
    for (const char* name : {"n1", "n2"}) ck_assert(nodes.at(name).find(7) == (GoneRanks{later, {1}, 3, {}}));
}
END_TEST

START_TEST(a_rank_that_has_left_is_done_for_all_nodes_when_its_task_has_ended_and_is_none_that_is_lost)
{
    WatchingNodes nodes;
    Task task;
    nodes.at("n2").wait_for_end(lost_rank(1), task.open());
    nodes.run_for(50ms);
    ck_assert(!nodes.at("n1").find(7)); // it may still write its results
    task.end();
    nodes.run_for(50ms);
    for (const char* name : {"n1", "n2"}) ck_assert(nodes.at(name).find(7) == (GoneRanks{later, {}, 0, {}, {1}}));
}
END_TEST

START_TEST(a_refusal_is_known_everywhere_unless_another_run_might_not_meet_it)
{
    WatchingNodes nodes;
    for (const Code curable : {Code::deadline, Code::fenced, Code::holder})
        nodes.at("n2").refuse(lost_rank(1), failure(curable, "later").value());
    ck_assert(!nodes.at("n1").find(7));
    nodes.at("n2").refuse(lost_rank(1), failure(Code::no_snapshot, "epoch 4", "a cure").value());
    nodes.at("n2").refuse(lost_rank(0), failure(Code::no_snapshot, "another").value());
    for (const char* name : {"n1", "n2"})
        ck_assert(nodes.at(name).find(7)->refusal == (Refusal{Code::no_snapshot, "epoch 4", "a cure"}));
}
END_TEST

START_TEST(a_rank_whose_connection_alone_was_lost_is_not_gone)
{
    WatchingNodes nodes;
    Task task;
    nodes.at("n2").wait(lost_rank(1), task.open(), 0);
    nodes.at("n2").stop_waiting(lost_rank(1));
    task.end();
    nodes.run_for(50ms);
    ck_assert(!nodes.at("n1").find(7));
}
END_TEST

START_TEST(ranks_are_ended_on_every_node_and_who_did_it_is_known)
{
    WatchingNodes nodes;
    Task task;
    nodes.at("n2").wait(lost_rank(1), task.open(), 0);
    task.end();
    nodes.run_for(50ms);
    nodes.dead = "n2";
    nodes.at("n1").end_ranks(7, later);
    ck_assert(nodes.at("n1").find(7)->ended == std::set<std::string>{"n1"});
    nodes.dead.clear();
    nodes.at("n1").end_ranks(7, later);
    ck_assert(nodes.at("n1").find(7)->ended == (std::set<std::string>{"n1", "n2"}));
    ck_assert(nodes.killed == (std::vector<std::string>{"n1 7 1", "n1 7 1", "n2 7 1"}));
}
END_TEST

START_TEST(an_older_run_s_ranks_are_of_no_interest_any_more)
{
    WatchingNodes nodes;
    Task before, after;
    nodes.at("n2").wait(lost_rank(1), before.open(), 0);
    before.end();
    nodes.run_for(50ms);
    nodes.at("n1").wait(lost_rank(0, earlier), after.open(), 9);
    after.end();
    nodes.run_for(50ms);
    ck_assert(nodes.at("n1").find(7) == (GoneRanks{later, {1}, 0, {}}));
    nodes.at("n1").end_ranks(7, earlier);
    ck_assert(nodes.killed.empty());
}
END_TEST

START_TEST(a_job_that_has_left_is_forgotten_with_the_tasks_that_were_watched)
{
    WatchingNodes nodes;
    Task task;
    nodes.at("n2").wait(lost_rank(1), task.open(), 0);
    nodes.at("n2").forget(7);
    task.end();
    nodes.run_for(50ms);
    ck_assert(!nodes.at("n1").find(7) && !nodes.at("n2").find(7));
}
END_TEST

} // namespace

Suite* gone_ranks_suite()
{
    return make_suite("gone_ranks", a_rank_is_gone_for_all_nodes_when_its_task_has_ended_too,
                      a_rank_that_has_left_is_done_for_all_nodes_when_its_task_has_ended_and_is_none_that_is_lost,
                      a_refusal_is_known_everywhere_unless_another_run_might_not_meet_it,
        a_rank_whose_connection_alone_was_lost_is_not_gone,
                      ranks_are_ended_on_every_node_and_who_did_it_is_known,
                      an_older_run_s_ranks_are_of_no_interest_any_more,
                      a_job_that_has_left_is_forgotten_with_the_tasks_that_were_watched);
}
