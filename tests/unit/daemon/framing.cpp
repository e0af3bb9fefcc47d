#include "daemon/mscaled/framing.hpp"

#include "tests/unit/daemon/suites.hpp"

using namespace mscale::daemon;

START_TEST(a_frame_is_cut_when_it_has_arrived_whole)
{
    const std::string frame = to_frame("hello") + to_frame("");
    std::string arrived;
    for (std::size_t i = 0; i < 8; ++i) {
        arrived += frame[i];
        ck_assert(!*cut_frame(arrived, 100));
    }
    arrived += frame.substr(8);
    expect_text(**cut_frame(arrived, 100), "hello");
    expect_text(**cut_frame(arrived, 100), "");
    ck_assert(arrived.empty());
}
END_TEST

START_TEST(a_frame_beyond_the_limit_is_refused_before_it_arrives)
{
    std::string arrived = "\xff\xff\xff\xff";
    ck_assert(!cut_frame(arrived, 100));
    arrived = to_frame(std::string(101, 'x')).substr(0, 4);
    ck_assert(!cut_frame(arrived, 100));
    arrived = to_frame(std::string(100, 'x'));
    ck_assert(cut_frame(arrived, 100)->has_value());
}
END_TEST

START_TEST(a_line_ends_at_its_newline_and_has_a_limit)
{
    std::string arrived = "{}";
    ck_assert(!*cut_line(arrived, 10));
    arrived += "\nrest";
    expect_text(**cut_line(arrived, 10), "{}");
    expect_text(arrived, "rest");
    arrived = std::string(11, 'x');
    ck_assert(!cut_line(arrived, 10));
}
END_TEST

Suite* framing_suite()
{
    return make_suite("framing", a_frame_is_cut_when_it_has_arrived_whole,
                      a_frame_beyond_the_limit_is_refused_before_it_arrives,
                      a_line_ends_at_its_newline_and_has_a_limit);
}
