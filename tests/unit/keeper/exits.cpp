#include "daemon/keeper/exits.hpp"

#include <csignal>
#include <map>
#include <memory>
#include <set>

#include "base/json.hpp"
#include "base/text.hpp"
#include "daemon/mscaled/message.hpp"
#include "tests/unit/keeper/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;

namespace {

constexpr recovery::Incarnation first{0, 0}, second{0, 1};

/// Two nodes with a rank each, whose messages arrive at once; those in `dead` answer nothing.
class Nodes {
public:
    Nodes()
    {
        for (const std::string name : {"n1", "n2"}) {
            Keepers::Network network;
            network.self = [name] { return name; };
            network.call = [this](const std::string& to, const std::string& op, const Json& body,
                                  const Keepers::Answered& answered) {
                if (dead.contains(to)) return answered(failure(Code::peer, "silent"));
                nodes_[to].exits->answer(op, body, [answered](const Json& answer) {
                    if (auto error = error_of(answer)) return answered(tl::unexpected(std::move(*error)));
                    answered(answer);
                });
            };
            network.is_dead = [](std::uint32_t, const std::string&) { return false; };
            Node& node = nodes_[name];
            node.keepers = std::make_unique<Keepers>(
                std::move(network), [](std::uint32_t) { return std::vector<std::string>{"n1", "n2"}; },
                [this, name](const std::string& op, const Json& body, const Keepers::Answer& answer) {
                    nodes_[name].exits->answer(op, body, answer);
                });
            node.exits = std::make_unique<Exits>(
                *node.keepers, [this, name](std::uint32_t, const recovery::Incarnation& run, std::optional<std::uint32_t>,
                                            const Json& event) {
                    heard[name].push_back(format("{} {} of run {}", event["event"].get<std::string>(),
                                                 event.value("step", std::uint64_t{0}), run.step));
                });
        }
    }
    Exits& at(const char* name) { return *nodes_[name].exits; }
    /// What the ranks of a node have heard since the last call.
    std::vector<std::string> take(const char* name) { return std::exchange(heard[name], {}); }

    std::set<std::string> dead;
    std::map<std::string, std::vector<std::string>> heard;

private:
    struct Node {
        std::unique_ptr<Keepers> keepers;
        std::unique_ptr<Exits> exits;
    };
    std::map<std::string, Node> nodes_;
};

using Words = std::vector<std::string>;

recovery::Owner owner(std::uint32_t rank, const recovery::Incarnation& run = first)
{
    return {7, 1000, rank, 2, run};
}

START_TEST(a_notice_to_one_node_reaches_the_ranks_of_all)
{
    Nodes nodes;
    nodes.at("n2").notice(7, first, SIGTERM);
    for (const char* name : {"n1", "n2"}) {
        ck_assert(nodes.take(name) == Words{"ending 0 of run 0"});
        ck_assert(nodes.at(name).exit_of(7) == (JobExit{first, SIGTERM, std::nullopt}));
    }
    ck_assert(!nodes.at("n1").exit_of(8));
}
END_TEST

START_TEST(all_ranks_leave_after_the_greatest_step_that_one_has_announced)
{
    Nodes nodes;
    nodes.at("n2").notice(7, first, SIGUSR1);
    nodes.take("n1"), nodes.take("n2");
    nodes.at("n1").announce(owner(0), 41);
    ck_assert(nodes.take("n1") == Words{"at 41 of run 0"} && nodes.take("n2").empty());
    nodes.at("n2").announce(owner(1), 43);
    ck_assert(nodes.take("n1") == Words{"exit 43 of run 0"});
    ck_assert(nodes.take("n2") == (Words{"exit 43 of run 0", "exit 43 of run 0"})); // told, and answered
    ck_assert(nodes.at("n1").exit_of(7) == (JobExit{first, SIGUSR1, 43}));
}
END_TEST

START_TEST(whoever_asks_again_hears_the_same_last_step)
{
    Nodes nodes;
    nodes.at("n1").notice(7, first, SIGTERM);
    nodes.at("n1").announce(owner(0), 41);
    nodes.at("n2").announce(owner(1), 43);
    nodes.take("n1");
    nodes.at("n1").announce(owner(0), 50);
    ck_assert(nodes.take("n1") == Words{"exit 43 of run 0"});
    nodes.at("n2").notice(7, first, SIGTERM); // known: nobody is told anew
    ck_assert(nodes.take("n1").empty());
}
END_TEST

START_TEST(a_newer_run_begins_anew_and_an_older_one_is_refused)
{
    Nodes nodes;
    nodes.at("n1").notice(7, first, SIGTERM);
    nodes.at("n1").announce(owner(0), 41);
    nodes.at("n1").announce(owner(0, second), 12);
    nodes.take("n1");
    nodes.at("n2").announce(owner(1), 43);
    ck_assert(nodes.take("n1").empty());
    nodes.at("n2").announce(owner(1, second), 13);
    ck_assert(nodes.take("n1") == Words{"exit 13 of run 1"});
}
END_TEST

START_TEST(without_its_coordinator_a_job_turns_to_the_next_node)
{
    Nodes nodes;
    nodes.dead = {"n1"};
    nodes.at("n2").notice(7, first, SIGTERM);
    ck_assert(nodes.take("n2") == Words{"ending 0 of run 0"} && nodes.take("n1").empty());
}
END_TEST

START_TEST(a_word_that_can_t_be_is_refused)
{
    Nodes nodes;
    bool refused = false;
    ExitWord word{7, first, 15, 2, 1, 4};
    ck_assert(exit_word_from_json(to_json(word)).value() == word);
    word.rank = 2;
    nodes.at("n1").answer("at", to_json(word), [&](const Json& answer) { refused = !answer["ok"].get<bool>(); });
    ck_assert(refused);
}
END_TEST

} // namespace

Suite* exits_suite()
{
    return make_suite("exits", a_notice_to_one_node_reaches_the_ranks_of_all,
                      all_ranks_leave_after_the_greatest_step_that_one_has_announced,
                      whoever_asks_again_hears_the_same_last_step, a_newer_run_begins_anew_and_an_older_one_is_refused,
                      without_its_coordinator_a_job_turns_to_the_next_node, a_word_that_can_t_be_is_refused);
}
