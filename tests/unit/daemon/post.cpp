#include "daemon/mscaled/post.hpp"

#include "tests/unit/daemon/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;
using namespace std::chrono_literals;
using contract::State;

START_TEST(the_end_of_an_honoured_job_says_what_it_was)
{
    const auto comment = released_comment(contract::Comment{State::honoured, {{"nodes", "2"}}}, Judgement{});
    ck_assert(comment.has_value());
    expect_text(contract::to_string(*comment), "mscale: state=released was=honoured nodes=2");
}
END_TEST

START_TEST(the_end_hides_no_breach_and_no_refusal)
{
    for (const State state : {State::breached, State::refused, State::released}) {
        ck_assert(!released_comment(contract::Comment{state, {}}, Judgement{}));
    }
    ck_assert(!released_comment(std::nullopt, Judgement{}));
}
END_TEST

START_TEST(a_refusal_that_ended_the_job_before_it_was_posted_is_not_lost)
{
    const contract::Comment posted{State::honoured, {{"nodes", "1"}}};
    const Judgement refused{{State::refused, {{"node", "n1"}, {"code", "MSC-V002"}}}};
    ck_assert(released_comment(posted, refused) == refused.comment);
    ck_assert(!released_comment(refused.comment, refused));
}
END_TEST

START_TEST(what_was_judged_of_one_run_is_not_posted_for_the_next)
{
    JobFacts facts;
    facts.restarts = 1;
    facts.started = 1000;
    ck_assert(is_of_run(facts, {{State::breached, {}}, Action::requeue, false, 900, 1}));
    ck_assert(!is_of_run(facts, {{State::breached, {}}, Action::requeue, false, 900, 0}));
}
END_TEST

START_TEST(a_first_state_is_posted_for_the_run_that_its_ledger_may_belong_to)
{
    JobFacts facts;
    facts.started = 1000;
    ck_assert(is_of_run(facts, {{State::honoured, {}}, Action::none, false, 1001, {}}));
    ck_assert(
        is_of_run(facts, {{State::honoured, {}}, Action::none, false, 990, {}})); // a clock that is behind
    ck_assert(is_of_run(facts, {{State::honoured, {}}, Action::none, false, 0, {}}));
    ck_assert(!is_of_run(facts, {{State::honoured, {}}, Action::none, false, 600, {}}));
}
END_TEST

START_TEST(a_job_that_is_held_says_that_it_waits_for_an_operator_until_it_is_released)
{
    const contract::Comment honoured{contract::State::honoured, {{"snapshot", "12"}}};
    const auto held = held_comment(honoured, true);
    ck_assert(held && contract::to_string(*held) == "mscale: state=honoured snapshot=12 waits_for=operator");
    ck_assert(!held_comment(held, true) && !held_comment(honoured, false) && !held_comment({}, true));
    ck_assert(held_comment(held, false) == honoured);
}
END_TEST

START_TEST(the_wait_after_failures_doubles_up_to_a_minute)
{
    ck_assert(retry_delay(1) == 1s);
    ck_assert(retry_delay(2) == 2s);
    ck_assert(retry_delay(5) == 16s);
    ck_assert(retry_delay(7) == 60s);
    ck_assert(retry_delay(4000000000u) == 60s);
}
END_TEST

START_TEST(a_job_that_stays_completing_is_asked_about_less_and_less)
{
    ck_assert(completing_delay(1) == 3s);
    ck_assert(completing_delay(2) == 6s);
    ck_assert(completing_delay(5) == 48s);
    ck_assert(completing_delay(6) == 60s);
    ck_assert(completing_delay(4000000000u) == 60s);
}
END_TEST

START_TEST(no_job_is_cancelled_for_the_silence_of_a_node_that_it_has_left)
{
    Judgement judgement{{State::refused, {}}, Action::cancel, true};
    judgement.silent = {"n2", "n3"};
    JobFacts facts;
    facts.nodes = {"n1", "n2", "n3"};
    ck_assert(!contradict_silence(judgement, facts));
    facts.nodes = {"n1", "n2"};
    ck_assert(contradict_silence(judgement, facts) == PostOutcome::moved);
    judgement.by_silence = false;
    ck_assert(!contradict_silence(judgement, facts));
}
END_TEST

Suite* post_suite()
{
    return make_suite("post", the_end_of_an_honoured_job_says_what_it_was,
                      the_end_hides_no_breach_and_no_refusal,
                      a_refusal_that_ended_the_job_before_it_was_posted_is_not_lost,
                      what_was_judged_of_one_run_is_not_posted_for_the_next,
                      a_first_state_is_posted_for_the_run_that_its_ledger_may_belong_to,
                      a_job_that_is_held_says_that_it_waits_for_an_operator_until_it_is_released,
                      the_wait_after_failures_doubles_up_to_a_minute,
                      a_job_that_stays_completing_is_asked_about_less_and_less,
                      no_job_is_cancelled_for_the_silence_of_a_node_that_it_has_left);
}
