#include "daemon/failure/vote_round.hpp"

#include "tests/unit/failure/suites.hpp"

using namespace mscale::daemon;

namespace {

VoteRound four_voters()
{
    return VoteRound("n2", {"n1", "n3", "n4", "ctl"}, {"ctl"});
}

} // namespace

START_TEST(a_round_is_complete_when_everybody_has_spoken_or_will_not)
{
    VoteRound round = four_voters();
    round.take({"n1", true, true});
    round.take({"n3", false, true});
    round.leave_out("n4");
    ck_assert(!round.is_complete());
    round.take({"ctl", false, true});
    ck_assert(round.is_complete() && !round.is_certain() && !round.judge().dead && !round.has_controller());
}
END_TEST

START_TEST(a_death_is_certain_only_when_no_answer_can_change_it)
{
    VoteRound round = four_voters();
    round.take({"n1", true, true});
    round.take({"ctl", true, true});
    ck_assert(!round.is_certain()); // two of four are no majority
    round.take({"n3", true, true});
    ck_assert(round.is_certain() && round.judge().dead && round.has_controller());
}
END_TEST

START_TEST(the_controllers_word_is_waited_for)
{
    VoteRound round = four_voters();
    for (const char* node : {"n1", "n3", "n4"}) round.take({node, true, true});
    ck_assert(!round.is_certain() && round.judge().dead && !round.has_controller());
    round.leave_out("ctl");
    ck_assert(round.is_certain() && round.judge().dead && !round.has_controller());
}
END_TEST

START_TEST(a_controller_that_hears_the_node_is_no_witness)
{
    VoteRound round = four_voters();
    for (const char* node : {"n1", "n3", "n4"}) round.take({node, true, true});
    round.take({"ctl", false, true});
    ck_assert(round.judge().dead && !round.has_controller());
}
END_TEST

Suite* vote_round_suite()
{
    return make_suite("vote_round", a_round_is_complete_when_everybody_has_spoken_or_will_not,
                      a_death_is_certain_only_when_no_answer_can_change_it,
                      the_controllers_word_is_waited_for, a_controller_that_hears_the_node_is_no_witness);
}
