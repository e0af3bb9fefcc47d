#include "daemon/failure/inquest.hpp"

#include "base/json.hpp"
#include "tests/unit/failure/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;
using namespace std::chrono_literals;

namespace {

/// A node of a job on n1, n2, n3 that hears n3 and hasn't heard n2 for two seconds; the others are answers of this test.
struct Node {
    explicit Node(std::string name) : self(std::move(name)) {}

    const std::string self;
    const WatchedJob job{{12, 0}, {"n1", "n2", "n3"}, recovery::derive_timing(600ms)};
    const contract::Site site;
    std::map<std::string, Ballot> ballots{{"n3", {true, false, true}}, {"ctl", {true, false, true}}};
    const SilentPort slurmd_of_suspect;
    bool suspect_answers = false;
    std::chrono::milliseconds silence = 2s;
    Result<DownOutcome> buried = DownOutcome{std::nullopt, true};
    std::vector<std::string> asked;
    std::vector<DeadNode> told;
    std::optional<Burial> burial;
    bool reaches = true;

    /// Runs the loop for so long, or until `done` holds, and gives what is known then.
    std::shared_ptr<Hearing> run(std::chrono::milliseconds time, const std::function<bool()>& done = {})
    {
        const auto loop = std::move(*Loop::create());
        Worker pings(*loop), burials(*loop);
        const PeerNetwork network = make_network();
        Voter voter(*loop, network, pings, [this] { return reaches; });
        const auto hearing = hear();
        const auto inquest =
            std::make_shared<Inquest>(Inquest::Parts{*loop, site, network, voter, burials,
                                                     [this](const Burial& given, const contract::Site&) {
                                                         burial = given;
                                                         return buried;
                                                     }},
                                      job, hearing);
        loop->every(50ms, [&] {
            hearing->own_beat(read_clocks());
            inquest->look();
            if (done && done()) loop->stop();
        });
        loop->after(time, [&] { loop->stop(); });
        ck_assert(loop->run().has_value());
        return hearing;
    }

private:
    std::shared_ptr<Hearing> hear() const
    {
        Moment moment = read_clocks();
        moment.steady -= 2s;
        moment.wall -= 2s;
        const auto hearing =
            std::make_shared<Hearing>(job.run, job.timing, std::vector<std::string>{"n2"}, moment, 2s - silence);
        for (int i = 0; i < 10; ++i) {
            moment.steady += 200ms;
            hearing->own_beat(moment);
        }
        return hearing;
    }

    PeerNetwork make_network()
    {
        return {[this] { return self; },
                [this](const std::string& node, const std::string& op, const Json& body,
                       const PeerNetwork::Answered& answered) { answer(node, op, body, answered); },
                [](const std::string&, const PeerNetwork::Located&) {},
                [this](const std::string&, const PeerNetwork::Located& located) {
                    if (suspect_answers) return located(failure(Code::peer, "nothing can be said of it"));
                    located(resolve_host("127.0.0.1", slurmd_of_suspect.number()));
                },
                [] { return std::vector<std::string>{"ctl"}; }};
    }

    void answer(const std::string& node, const std::string& op, const Json& body,
                const PeerNetwork::Answered& answered)
    {
        if (op == "dead") {
            told.push_back(dead_from_json(body.at("dead"), "a death").value());
            return answered(Json{{"ok", true}});
        }
        asked.push_back(node);
        if (!ballots.contains(node)) return answered(failure(Code::peer, "the node doesn't answer"));
        answered(to_json(ballots.at(node)));
    }
};

} // namespace

START_TEST(a_silent_node_that_the_others_miss_is_set_down_and_the_job_is_told)
{
    Node node("n1");
    const auto hearing = node.run(10s, [&] { return node.told.size() == 2; });
    ck_assert(node.burial && node.burial->node == "n2" && node.burial->controller);
    ck_assert(node.burial->reason.starts_with("mscale: job 12: ctl, n1 and n3 heard nothing since "));
    ck_assert_uint_eq(node.told.size(), 2); // n3, when it was agreed and when it was DOWN
    ck_assert(!node.told[0].down && node.told[1].down && node.told[1].by_mscale);
    ck_assert_uint_eq(hearing->dead().size(), 1);
    ck_assert(hearing->dead()[0] == node.told[1]);
    ck_assert(node.asked == std::vector<std::string>({"n3", "ctl"}));
}
END_TEST

START_TEST(the_others_are_asked_before_detect_is_over_and_the_death_is_agreed_on_after_it)
{
    Node node("n1");
    node.silence = 0ms;
    const auto began = std::chrono::steady_clock::now();
    std::chrono::milliseconds asked{0}, agreed{0};
    node.run(10s, [&] {
        const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
        if (!node.asked.empty() && asked == 0ms) asked = passed;
        agreed = passed;
        return node.burial.has_value();
    });
    ck_assert(node.burial && asked >= node.job.timing.detect - node.job.timing.vote);
    ck_assert(agreed >= node.job.timing.detect && agreed - asked >= node.job.timing.vote);
}
END_TEST

START_TEST(a_node_that_answers_another_one_is_left_alone)
{
    Node node("n1");
    node.ballots["n3"].answers = node.ballots["ctl"].answers = true;
    const auto hearing = node.run(1s);
    ck_assert(!node.burial && hearing->dead().empty() && node.told.empty());
}
END_TEST

START_TEST(a_node_that_answers_this_one_is_no_witness_of_this_one)
{
    Node node("n1");
    node.suspect_answers = true;
    node.ballots["n3"].silent = false;
    ck_assert(node.run(1s)->dead().empty());
    node.ballots["n3"].silent = true; // n3 and ctl are enough without n1
    const auto hearing = node.run(10s, [&] { return node.burial.has_value(); });
    ck_assert(hearing->is_dead("n2") && node.burial->reason.find("ctl and n3") != std::string::npos);
}
END_TEST

START_TEST(who_cannot_reach_slurmctld_never_acts)
{
    Node node("n1");
    node.reaches = false;
    for (auto& [name, ballot] : node.ballots) ballot.reaches = false;
    ck_assert(node.run(1s)->dead().empty() && !node.burial);
    node.ballots.clear(); // nobody answers
    ck_assert(node.run(1s)->dead().empty() && !node.burial);
}
END_TEST

START_TEST(an_objection_is_told_with_the_death)
{
    Node node("n1");
    node.buried = DownOutcome{"set_down = no", false};
    const auto hearing = node.run(10s, [&] { return node.told.size() == 2; });
    ck_assert_uint_eq(hearing->dead().size(), 1);
    const DeadNode& dead = hearing->dead()[0];
    ck_assert(!dead.down && dead.reason.ends_with("; not set DOWN: set_down = no"));
}
END_TEST

START_TEST(a_node_that_another_has_set_down_is_told_as_such)
{
    Node node("n1");
    node.buried = DownOutcome{std::nullopt, false};
    node.run(10s, [&] { return node.told.size() == 2; });
    ck_assert(node.told[1].down && !node.told[1].by_mscale);
}
END_TEST

START_TEST(the_second_listener_waits_for_the_first)
{
    Node node("n3");
    node.ballots["n1"] = {true, false, true};
    node.run(1s);
    ck_assert(node.asked.empty());
    node.run(10s, [&] { return node.burial.has_value(); });
    ck_assert(node.asked == std::vector<std::string>({"n1", "ctl"}) && node.burial);
}
END_TEST

START_TEST(without_a_majority_it_is_asked_again_after_a_pause)
{
    Node node("n1");
    node.ballots["n3"].silent = node.ballots["ctl"].silent = false;
    node.run(1s);
    ck_assert_uint_eq(node.asked.size(), 2);
    node.asked.clear();
    node.run(10s, [&] { return node.asked.size() == 4; });
    ck_assert_uint_eq(node.asked.size(), 4);
}
END_TEST

START_TEST(a_burial_that_fails_is_tried_again)
{
    Node node("n1");
    node.buried = failure(Code::node_act, "slurmctld doesn't answer");
    int attempts = 0;
    const auto hearing = node.run(10s, [&] {
        if (node.burial) ++attempts;
        node.burial.reset();
        return attempts == 2;
    });
    ck_assert_int_eq(attempts, 2);
    ck_assert(hearing->is_dead("n2") && !hearing->dead()[0].down);
}
END_TEST

Suite* inquest_suite()
{
    return make_suite("inquest", a_silent_node_that_the_others_miss_is_set_down_and_the_job_is_told,
                      the_others_are_asked_before_detect_is_over_and_the_death_is_agreed_on_after_it,
                      a_node_that_answers_another_one_is_left_alone,
                      a_node_that_answers_this_one_is_no_witness_of_this_one,
                      who_cannot_reach_slurmctld_never_acts, an_objection_is_told_with_the_death,
                      a_node_that_another_has_set_down_is_told_as_such, the_second_listener_waits_for_the_first,
                      without_a_majority_it_is_asked_again_after_a_pause, a_burial_that_fails_is_tried_again);
}
