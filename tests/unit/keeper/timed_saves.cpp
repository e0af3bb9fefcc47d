#include "daemon/keeper/timed_saves.hpp"

#include <deque>

#include "base/json.hpp"
#include "daemon/mscaled/message.hpp"
#include "tests/unit/keeper/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;
using namespace std::chrono_literals;

namespace {

constexpr recovery::Incarnation first_run{0, 3}, next_run{1, 0};

/// The node of rank 0, whose word to itself arrives at once; what it does later waits in a queue.
struct NamingNode {
    explicit NamingNode(std::uint32_t ranks = 2) : run{7, first_run, ranks, 1000ms} { progress = train(10); }

    NodeProgress train(std::uint64_t greatest, std::uint64_t least = 0) const
    {
        NodeProgress all;
        all.joined = 2;
        all.greatest_step = greatest;
        all.least_step = least ? least : greatest;
        all.restored_at = 1s;
        all.run = run.incarnation;
        return all;
    }
    void look(std::chrono::milliseconds at) { saves.look(run, begin + at); }
    /// What was to come after a while comes.
    void pass()
    {
        for (auto& call : std::exchange(later, {})) call();
    }

    TimedSaves::Run run;
    NodeProgress progress;
    std::vector<std::uint64_t> named;
    std::deque<std::function<void()>> later;
    const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    Keepers keepers{make_network(), [](std::uint32_t) { return std::vector<std::string>{"n1"}; },
                    [this](const std::string& op, const Json& body, const Keepers::Answer& answer) { saves.answer(op, body, answer); }};
    TimedSaves saves{keepers, [this](std::uint32_t) { return progress; },
                     [this](std::uint32_t, const recovery::Incarnation& to, std::optional<std::uint32_t>, const Json& event) {
                         if (to == run.incarnation && event["event"] == "save") named.push_back(event["step"]);
                     }};

private:
    Keepers::Network make_network()
    {
        Keepers::Network network;
        network.self = [] { return "n1"; };
        network.is_dead = [](std::uint32_t, const std::string&) { return false; };
        network.after = [this](std::chrono::milliseconds, std::function<void()> call) { later.push_back(std::move(call)); };
        return network;
    }
};

} // namespace

START_TEST(a_step_that_no_rank_has_reached_is_named_each_time_the_time_has_passed)
{
    NamingNode node;
    node.look(0ms);
    node.look(999ms);
    ck_assert(node.named.empty() && node.later.empty());
    node.look(1000ms);
    node.progress = node.train(30);
    node.pass();
    ck_assert_uint_eq(node.named.size(), 1);
    ck_assert_uint_eq(node.named[0], 30 + 2 + 3 * 20); // as fast as they are
}
END_TEST

START_TEST(nothing_new_is_named_before_the_slowest_rank_has_come_to_the_last)
{
    NamingNode node;
    node.look(0ms);
    node.look(1000ms);
    node.pass();
    ck_assert(node.named == std::vector<std::uint64_t>{12});
    node.progress = node.train(14, 11);
    node.look(1h);
    node.pass();
    ck_assert_uint_eq(node.named.size(), 1);
    node.progress = node.train(14, 12);
    node.look(1h);
    node.pass();
    ck_assert(node.named == std::vector<std::uint64_t>({12, 16}));
}
END_TEST

START_TEST(nothing_is_named_while_not_all_ranks_train)
{
    NamingNode node(3); // of which one hasn't joined
    node.look(0ms);
    node.look(1000ms);
    node.pass();
    ck_assert(node.named.empty());
    node.run.ranks = 2;
    node.look(1100ms);
    node.pass();
    ck_assert_uint_eq(node.named.size(), 1);
}
END_TEST

START_TEST(a_newer_run_begins_its_own_time)
{
    NamingNode node;
    node.look(0ms);
    node.look(1000ms);
    node.run.incarnation = next_run; // while the older one is being measured
    node.progress = node.train(5);
    node.look(1000ms);
    node.pass();
    ck_assert(node.named.empty());
    node.look(2000ms);
    node.pass();
    ck_assert(node.named == std::vector<std::uint64_t>{7});
}
END_TEST

Suite* timed_saves_suite()
{
    Suite* suite = suite_create("timed_saves");
    TCase* tests = tcase_create("timed_saves");
    tcase_add_test(tests, a_step_that_no_rank_has_reached_is_named_each_time_the_time_has_passed);
    tcase_add_test(tests, nothing_new_is_named_before_the_slowest_rank_has_come_to_the_last);
    tcase_add_test(tests, nothing_is_named_while_not_all_ranks_train);
    tcase_add_test(tests, a_newer_run_begins_its_own_time);
    suite_add_tcase(suite, tests);
    return suite;
}
