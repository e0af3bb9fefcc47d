#include "tests/unit/contract/texts.hpp"

using namespace mscale;
using namespace mscale::contract;

// What one submission can cost slurmctld is counted, not timed: how many bytes are trimmed while a text is read.

namespace {

std::size_t bytes_trimmed = 0;

std::size_t count_trimmed(const std::string& text)
{
    bytes_trimmed = 0;
    parse(text);
    return bytes_trimmed;
}

/// `count` roles, each with this clause: "role.r0.cores=1,role.r1.cores=1,…"
std::string repeat_roles(unsigned count, const std::string& clause)
{
    std::string text;
    for (unsigned i = 0; i < count; ++i) text += format("{}role.r{}.{}", i == 0 ? "" : ",", i, clause);
    return text;
}

Error last_error(const std::string& text)
{
    const Parsed parsed = parse(text);
    ck_assert(!parsed.ok());
    return parsed.faults.back().error;
}

} // namespace

// The linker sends every call of mscale::trim here (--wrap), and this one on to it.
std::string_view
real_trim(std::string_view text) asm("__real__ZN6mscale4trimESt17basic_string_viewIcSt11char_traitsIcEE");
std::string_view
counting_trim(std::string_view text) asm("__wrap__ZN6mscale4trimESt17basic_string_viewIcSt11char_traitsIcEE");

std::string_view counting_trim(std::string_view text)
{
    bytes_trimmed += text.size();
    return real_trim(text);
}

START_TEST(a_text_is_trimmed_a_few_times_however_many_words_it_has)
{
    std::string words(32 << 10, ' ');
    while (words.size() + 2 < contract_limit) words += "a,";
    const std::size_t trimmed = count_trimmed(words);
    ck_assert(trimmed >= words.size());
    ck_assert_msg(trimmed <= 8 * words.size(), "%zu bytes of %zu", trimmed, words.size());
}
END_TEST

START_TEST(only_the_first_word_names_a_profile)
{
    ck_assert(fault_of(" \n light").error.code == Code::unknown_profile);
    ck_assert(parse(",light").faults.back().error.code == Code::text_syntax);
    ck_assert(fault_of("gpu.sm=8,light").error.code == Code::text_syntax);
}
END_TEST

START_TEST(more_roles_than_any_node_holds_end_the_reading)
{
    ck_assert(parse(repeat_roles(most_roles, "cores=1")).ok());
    const Error error = last_error(repeat_roles(most_roles + 1, "cores=1"));
    ck_assert(error.code == Code::too_many_roles);
    expect_text(error.text, "this is role 1025, and at most 1024 are planned on a node");
}
END_TEST

START_TEST(sets_that_must_overlap_are_not_read_to_the_end)
{
    const Parsed parsed = parse(repeat_roles(900, "cores=[0-8191]"));
    ck_assert_uint_eq(parsed.contract.roles.size(), 2);
    ck_assert(last_error(repeat_roles(900, "cores=[0-8191]")).code == Code::conflict);
}
END_TEST

START_TEST(a_short_text_that_stands_for_a_long_one_is_not_read_to_the_end)
{
    const Parsed parsed = parse(repeat_roles(900, "cores=[0-2047:1/2]"));
    ck_assert(!parsed.ok());
    ck_assert_uint_le(parsed.contract.roles.size(), 20);
}
END_TEST

Suite* bounds_suite()
{
    return make_suite("bounds", a_text_is_trimmed_a_few_times_however_many_words_it_has,
                      only_the_first_word_names_a_profile, more_roles_than_any_node_holds_end_the_reading,
                      sets_that_must_overlap_are_not_read_to_the_end,
                      a_short_text_that_stands_for_a_long_one_is_not_read_to_the_end);
}
