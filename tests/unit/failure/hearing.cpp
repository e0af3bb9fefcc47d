#include "daemon/failure/hearing.hpp"

#include "tests/unit/failure/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;
using namespace std::chrono_literals;
using recovery::SessionKey;
using Verdict = Hearing::Verdict;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds grace = 5s;
constexpr JobRun this_run{12, 3};

SessionKey key_of(const std::string& node)
{
    return SessionKey::take(std::string(SessionKey::bytes, node.back())).value();
}

Moment at(milliseconds since_start)
{
    return {recovery::Detector::Time(since_start), 1'700'000'000'000ms + since_start};
}

Hearing hear_of(const std::vector<std::string>& nodes)
{
    Hearing hearing(this_run, recovery::derive_timing(600ms), nodes, at(0ms), grace);
    for (const std::string& node : nodes) hearing.use_key(node, key_of(node));
    return hearing;
}

Beat beat_of(const std::string& node, std::uint64_t sequence)
{
    return {this_run.job_id, this_run.restarts, sequence, false, node, {1, 0, sequence, sequence, {}, {}}};
}

Verdict take(Hearing& hearing, const Beat& beat, milliseconds now)
{
    return hearing.take(beat, encode_beat(beat, key_of(beat.node)), at(now));
}

/// This node beats on time from `begin` to `end`, and so does each of `nodes`.
void run_on(Hearing& hearing, milliseconds begin, milliseconds end, const std::vector<std::string>& nodes)
{
    for (milliseconds now = begin; now <= end; now += 200ms) {
        hearing.own_beat(at(now));
        for (const std::string& node : nodes)
            ck_assert(take(hearing, beat_of(node, static_cast<std::uint64_t>(now.count()) + 1), now) ==
                      Verdict::heard);
    }
}

DeadNode dead(const std::string& node, std::optional<milliseconds> down = {})
{
    return {node, 1ms, 2ms, down, "reason"};
}

using Names = std::vector<std::string>;

} // namespace

START_TEST(who_beats_is_alive_and_tells_its_progress)
{
    Hearing hearing = hear_of({"a", "b"});
    run_on(hearing, 0ms, 2s, {"a", "b"});
    ck_assert(hearing.suspects(at(2s)).empty());
    ck_assert(hearing.last_heard("a") == at(2s).wall);
    ck_assert_uint_eq(hearing.progress().at("a").least_step, 2001);
}
END_TEST

START_TEST(who_falls_silent_is_suspected_after_detect)
{
    Hearing hearing = hear_of({"a", "b"});
    run_on(hearing, 0ms, 2s, {"a", "b"});
    run_on(hearing, 2200ms, 2600ms, {"b"});
    ck_assert(hearing.suspects(at(2600ms)).empty());
    ck_assert(hearing.suspects(at(2601ms)) == Names{"a"});
    ck_assert(hearing.is_suspect("a", at(2601ms)) && !hearing.is_suspect("b", at(2601ms)));
    ck_assert(hearing.last_heard("a") == at(2s).wall);
}
END_TEST

START_TEST(who_lives_and_says_nothing_is_named)
{
    Hearing hearing = hear_of({"a", "b"});
    run_on(hearing, 0ms, 2s, {"a", "b"});
    ck_assert(hearing.silent(at(7s), 5s).empty());
    run_on(hearing, 2200ms, 8s, {"a"});
    ck_assert(hearing.silent(at(8s), 5s) == Names{"b"});
    hearing.settle(dead("b"));
    ck_assert(hearing.silent(at(8s), 5s).empty());
}
END_TEST

START_TEST(a_node_that_was_never_heard_has_its_grace_and_no_longer)
{
    Hearing hearing = hear_of({"a", "b"});
    run_on(hearing, 0ms, 5600ms, {"b"});
    ck_assert(hearing.suspects(at(5600ms)).empty());
    ck_assert(hearing.suspects(at(5601ms)) == Names{"a"});
    ck_assert(hearing.last_heard("a") == at(0ms).wall);
    ck_assert(!hearing.progress().contains("a"));
}
END_TEST

START_TEST(the_first_beat_ends_the_grace)
{
    Hearing hearing = hear_of({"a", "b"});
    run_on(hearing, 0ms, 200ms, {"a", "b"});
    run_on(hearing, 400ms, 1000ms, {"b"});
    ck_assert(hearing.suspects(at(1000ms)) == Names{"a"});
}
END_TEST

START_TEST(a_repeated_or_older_beat_keeps_nobody_alive)
{
    Hearing hearing = hear_of({"a"});
    ck_assert(take(hearing, beat_of("a", 5), 0ms) == Verdict::heard);
    for (milliseconds now = 200ms; now <= 800ms; now += 200ms) {
        hearing.own_beat(at(now));
        ck_assert(take(hearing, beat_of("a", 5), now) == Verdict::stale);
        ck_assert(take(hearing, beat_of("a", 4), now) == Verdict::stale);
    }
    ck_assert(hearing.suspects(at(800ms)) == Names{"a"});
    ck_assert(take(hearing, beat_of("a", 6), 800ms) == Verdict::heard);
}
END_TEST

START_TEST(a_beat_of_another_job_run_or_node_is_a_strangers)
{
    Hearing hearing = hear_of({"a"});
    Beat beat = beat_of("a", 1);
    beat.job_id = 13;
    ck_assert(take(hearing, beat, 0ms) == Verdict::stranger);
    beat = beat_of("a", 1);
    beat.run = 2;
    ck_assert(take(hearing, beat, 0ms) == Verdict::stranger);
    ck_assert(take(hearing, beat_of("x", 1), 0ms) == Verdict::stranger);
}
END_TEST

START_TEST(without_the_right_key_a_beat_proves_nothing_and_the_key_is_asked_for)
{
    Hearing hearing(this_run, recovery::derive_timing(600ms), {"a", "b"}, at(0ms), grace);
    ck_assert(hearing.unproven() == Names({"a", "b"}));
    ck_assert(take(hearing, beat_of("a", 1), 0ms) == Verdict::unproven);
    hearing.use_key("a", key_of("a"));
    hearing.use_key("b", key_of("b"));
    hearing.use_key("x", key_of("x"));
    ck_assert(hearing.unproven().empty());
    const Beat forged = beat_of("a", 9);
    ck_assert(hearing.take(forged, encode_beat(forged, key_of("b")), at(0ms)) == Verdict::unproven);
    ck_assert(hearing.unproven() == Names{"a"});
    ck_assert(take(hearing, beat_of("a", 1), 0ms) == Verdict::heard);
}
END_TEST

START_TEST(a_daemon_that_began_anew_begins_a_new_sequence_and_a_known_key_none)
{
    Hearing hearing = hear_of({"a"});
    ck_assert(take(hearing, beat_of("a", 100), 0ms) == Verdict::heard);
    hearing.use_key("a", key_of("a")); // the same again: what was recorded stays stale
    ck_assert(take(hearing, beat_of("a", 100), 0ms) == Verdict::stale);
    hearing.use_key("a", key_of("z"));
    const Beat first = beat_of("a", 1);
    ck_assert(hearing.take(first, encode_beat(first, key_of("z")), at(0ms)) == Verdict::heard);
    ck_assert(take(hearing, beat_of("a", 101), 0ms) == Verdict::unproven);
}
END_TEST

START_TEST(who_says_farewell_is_not_suspected)
{
    Hearing hearing = hear_of({"a", "b"});
    run_on(hearing, 0ms, 1s, {"a", "b"});
    Beat farewell = beat_of("a", 5000);
    farewell.farewell = true;
    ck_assert(take(hearing, farewell, 1s) == Verdict::heard);
    run_on(hearing, 1200ms, 3s, {"b"});
    ck_assert(hearing.suspects(at(3s)).empty());
}
END_TEST

START_TEST(a_settled_death_is_no_suspicion_and_stays_when_the_node_is_down)
{
    Hearing hearing = hear_of({"a", "b"});
    run_on(hearing, 0ms, 1s, {"a", "b"});
    hearing.settle(dead("a"));
    hearing.settle(dead("a", 3ms));
    hearing.settle(dead("a")); // came late
    ck_assert(hearing.dead() == std::vector<DeadNode>{dead("a", 3ms)});
    run_on(hearing, 1200ms, 3s, {"b"});
    ck_assert(hearing.suspects(at(3s)).empty());
    ck_assert(take(hearing, beat_of("a", 9000), 3s) == Verdict::heard);
    ck_assert(hearing.is_dead("a")); // the allocation has lost it
}
END_TEST

START_TEST(a_dead_node_that_was_not_set_down_and_is_heard_again_is_alive)
{
    Hearing hearing = hear_of({"a", "b"});
    run_on(hearing, 0ms, 1s, {"a", "b"});
    hearing.settle(dead("a"));
    ck_assert(take(hearing, beat_of("a", 9000), 1s) == Verdict::heard);
    ck_assert(!hearing.is_dead("a") && hearing.dead().empty());
    run_on(hearing, 1200ms, 1800ms, {"b"});
    ck_assert(hearing.suspects(at(1800ms)) == Names{"a"});
}
END_TEST

Suite* hearing_suite()
{
    return make_suite(
        "hearing", who_beats_is_alive_and_tells_its_progress, who_falls_silent_is_suspected_after_detect, who_lives_and_says_nothing_is_named,
        a_node_that_was_never_heard_has_its_grace_and_no_longer, the_first_beat_ends_the_grace,
        a_repeated_or_older_beat_keeps_nobody_alive, a_beat_of_another_job_run_or_node_is_a_strangers,
        without_the_right_key_a_beat_proves_nothing_and_the_key_is_asked_for,
        a_daemon_that_began_anew_begins_a_new_sequence_and_a_known_key_none,
        who_says_farewell_is_not_suspected, a_settled_death_is_no_suspicion_and_stays_when_the_node_is_down,
        a_dead_node_that_was_not_set_down_and_is_heard_again_is_alive);
}
