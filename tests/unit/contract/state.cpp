#include "contract/state.hpp"

#include "tests/unit/contract/suites.hpp"

using namespace mscale::contract;

START_TEST(a_comment_is_one_short_line_that_reads_back)
{
    const Comment comment{State::granted, {{"unenforced", "gpu.sm"}, {"restarts", "1"}}};
    const std::string text = to_string(comment);
    expect_text(text, "mscale: state=granted unenforced=gpu.sm restarts=1");
    ck_assert(find_comment(text) == comment);
}
END_TEST

START_TEST(what_others_wrote_is_kept_byte_for_byte)
{
    const Comment comment{State::honoured, {}};
    const std::string both = replace_comment("ticket=17, seen by Bob", comment);
    expect_text(both, "ticket=17, seen by Bob; mscale: state=honoured");
    const std::string again = replace_comment("a=1; mscale: state=accepted cores=4; b=2", comment);
    expect_text(again, "a=1; mscale: state=honoured; b=2");
    expect_text(replace_comment("  ", comment), "mscale: state=honoured");
}
END_TEST

START_TEST(a_mention_of_mscale_within_anothers_text_is_not_our_segment)
{
    ck_assert(!find_comment("see mscale: state=honoured"));
    ck_assert(!find_comment("mscale: nothing known"));
    ck_assert(!find_comment(""));
}
END_TEST

START_TEST(a_value_can_not_end_the_segment)
{
    const Comment comment{State::refused, {{"fact", "no pages; really"}}};
    expect_text(to_string(comment), "mscale: state=refused fact=no_pages__really");
}
END_TEST

START_TEST(every_state_has_a_word_that_reads_back)
{
    for (int i = 0; i <= static_cast<int>(State::released); ++i)
        ck_assert(parse_state(to_string(static_cast<State>(i))) == static_cast<State>(i));
    ck_assert(!parse_state("Honoured") && !parse_state(""));
}
END_TEST

Suite* state_suite()
{
    return make_suite("state", a_comment_is_one_short_line_that_reads_back, what_others_wrote_is_kept_byte_for_byte,
                      a_mention_of_mscale_within_anothers_text_is_not_our_segment, a_value_can_not_end_the_segment,
                      every_state_has_a_word_that_reads_back);
}
