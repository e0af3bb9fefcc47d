#include "recovery/detector.hpp"

#include "recovery/agreement.hpp"
#include "tests/unit/recovery/suites.hpp"

using namespace mscale::recovery;
using namespace std::chrono_literals;

namespace {

using Names = std::vector<std::string>;
const Detector::Time start{};

/// A detector of 600 ms whose own beats came on time from `start` until `end`, and b's with them; a was
/// silent.
Detector beat_until(Milliseconds end)
{
    Detector detector(derive_timing(600ms), {"a", "b"}, start);
    for (Milliseconds at = 200ms; at <= end; at += 200ms) {
        detector.own_beat(start + at);
        detector.heard("b", start + at);
    }
    return detector;
}

DeathVote vote(const std::string& voter, bool suspects, bool reaches = true)
{
    return {voter, suspects, reaches};
}

} // namespace

START_TEST(all_times_follow_from_detect)
{
    const Timing timing = derive_timing(600ms);
    ck_assert(timing.beat == 200ms && timing.connect == 600ms && timing.fetch_stall == 1200ms);
    ck_assert(derive_timing(0ms) == derive_timing(150ms) && derive_timing(100h) == derive_timing(1h));
    const auto rows = list_timing(timing), doubled = list_timing(derive_timing(1200ms));
    ck_assert(rows.front() == TimingRow({"detect", 600ms}));
    for (std::size_t i = 0; i < rows.size(); ++i) ck_assert(doubled[i].value == 2 * rows[i].value);
    ck_assert_uint_eq(rows.size() * sizeof(Milliseconds), sizeof(Timing)); // none is left out
}
END_TEST

START_TEST(a_hang_is_ten_times_the_longest_step)
{
    const Timing timing = derive_timing(600ms);
    ck_assert(hang_limit(timing, 0ms) == timing.hang && hang_limit(timing, -5ms) == timing.hang);
    ck_assert(hang_limit(timing, 10ms) == 60s && hang_limit(timing, 6001ms) == 60010ms && hang_limit(timing, 12s) == 120s);
    ck_assert(hang_limit(timing, Milliseconds::max()) == 240h);
}
END_TEST

START_TEST(three_missed_beats_are_a_suspicion)
{
    const Detector detector = beat_until(600ms);
    ck_assert(detector.suspects(start + 600ms).empty());
    ck_assert(detector.suspects(start + 601ms) == Names{"a"});
}
END_TEST

START_TEST(who_would_be_silent_for_detect_after_a_vote_is_doubtful)
{
    Detector detector = beat_until(600ms);
    detector.heard("a", start + 400ms);
    ck_assert(detector.doubtful(start + 700ms).empty());
    ck_assert(detector.doubtful(start + 701ms) == Names{"a"});
    ck_assert(detector.suspects(start + 701ms).empty());
}
END_TEST

START_TEST(who_is_heard_again_or_forgotten_is_not_suspected)
{
    Detector detector = beat_until(800ms);
    ck_assert(detector.suspects(start + 800ms) == Names{"a"});
    detector.heard("a", start + 800ms);
    detector.heard("a", start); // came late
    detector.heard("stranger", start + 800ms);
    ck_assert(detector.suspects(start + 801ms).empty());
    detector = beat_until(800ms);
    detector.forget("a");
    ck_assert(detector.suspects(start + 800ms).empty());
    detector.watch("spare", start + 100ms);
    ck_assert(detector.suspects(start + 800ms) == Names{"spare"});
}
END_TEST

START_TEST(a_late_side_suspects_nobody_until_it_was_on_time_for_a_whole_detect)
{
    Detector detector = beat_until(400ms);
    ck_assert(detector.suspects(start + 5s).empty()); // it has just woken up
    detector.own_beat(start + 5s);
    for (Milliseconds at = 5s; at < 5600ms; at += 200ms) {
        detector.own_beat(start + at);
        detector.heard("b", start + at);
        ck_assert(!detector.is_on_time(start + at) && detector.suspects(start + at).empty());
    }
    detector.own_beat(start + 5600ms);
    ck_assert(detector.suspects(start + 5600ms) == Names{"a"});
}
END_TEST

START_TEST(a_side_that_is_always_late_never_suspects)
{
    Detector detector(derive_timing(600ms), {"a"}, start);
    for (Milliseconds at = 400ms; at < 20s; at += 400ms) {
        detector.own_beat(start + at);
        ck_assert(detector.suspects(start + at + 100ms).empty());
    }
}
END_TEST

START_TEST(most_of_those_who_reach_slurmctld_decide)
{
    const Names voters = {"a", "b", "c", "d", "ctl"};
    const auto verdict =
        agree_on_death("d", {vote("a", true), vote("b", true), vote("c", false), vote("ctl", true)}, voters);
    ck_assert(verdict.dead && verdict.witnesses == Names({"a", "b", "ctl"}));
    expect_text(verdict.reason, "a, b, ctl of 4 that reach slurmctld heard nothing from d");
    ck_assert(
        !agree_on_death("d", {vote("a", true), vote("b", true), vote("c", false), vote("ctl", false)}, voters)
             .dead);
}
END_TEST

START_TEST(of_two_nodes_the_survivor_needs_the_word_of_the_controllers_side)
{
    const Names voters = {"a", "b", "ctl"};
    ck_assert(agree_on_death("b", {vote("a", true), vote("ctl", true)}, voters).dead);
    ck_assert(!agree_on_death("b", {vote("a", true), vote("ctl", false)}, voters)
                   .dead); // a's link to b alone is cut
    const auto alone = agree_on_death("b", {vote("a", true)}, voters);
    ck_assert(!alone.dead);
    expect_text(alone.reason,
                "a of 1 that reach slurmctld heard nothing from b; that is no majority of at least two");
}
END_TEST

START_TEST(two_survivors_decide_also_without_a_mscaled_beside_slurmctld)
{
    const Names voters = {"a", "b", "c", "ctl"};
    ck_assert(agree_on_death("c", {vote("a", true), vote("b", true)}, voters).dead);
    ck_assert(!agree_on_death("c", {vote("a", true), vote("b", false)}, voters).dead);
}
END_TEST

START_TEST(survivors_that_are_cut_off_from_slurmctld_never_act)
{
    const Names voters = {"a", "b", "c", "d", "ctl"};
    const auto verdict =
        agree_on_death("d", {vote("a", true, false), vote("b", true, false), vote("c", true, false)}, voters);
    ck_assert(!verdict.dead && verdict.witnesses.empty());
    expect_text(verdict.reason,
                "nobody of 0 that reach slurmctld heard nothing from d; that is no majority of at least two");
}
END_TEST

START_TEST(the_side_with_slurmctld_acts_though_it_is_the_smaller)
{
    const Names voters = {"a", "b", "c", "d", "e", "ctl"};
    ck_assert(agree_on_death("e", {vote("a", true), vote("ctl", true), vote("b", true, false)}, voters).dead);
}
END_TEST

START_TEST(strangers_the_suspect_itself_and_second_answers_do_not_count)
{
    const Names voters = {"a", "b", "c", "ctl"};
    ck_assert(!agree_on_death("c", {vote("a", true), vote("x", true), vote("y", true)}, voters).dead);
    ck_assert(!agree_on_death("c", {vote("a", true), vote("c", true)}, voters).dead);
    ck_assert(!agree_on_death("c", {vote("a", true), vote("a", true)}, voters).dead);
    ck_assert(
        !agree_on_death("c", {vote("a", true), vote("b", true), vote("b", false), vote("ctl", false)}, voters)
             .dead);
}
END_TEST

Suite* detector_suite()
{
    return make_suite("detector", all_times_follow_from_detect, a_hang_is_ten_times_the_longest_step,
                      three_missed_beats_are_a_suspicion,
                      who_would_be_silent_for_detect_after_a_vote_is_doubtful, who_is_heard_again_or_forgotten_is_not_suspected,
                      a_late_side_suspects_nobody_until_it_was_on_time_for_a_whole_detect,
                      a_side_that_is_always_late_never_suspects, most_of_those_who_reach_slurmctld_decide,
                      of_two_nodes_the_survivor_needs_the_word_of_the_controllers_side,
                      two_survivors_decide_also_without_a_mscaled_beside_slurmctld,
                      survivors_that_are_cut_off_from_slurmctld_never_act,
                      the_side_with_slurmctld_acts_though_it_is_the_smaller,
                      strangers_the_suspect_itself_and_second_answers_do_not_count);
}
