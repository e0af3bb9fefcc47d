#include "base/text.hpp"

#include <array>

#include "tests/unit/base/suites.hpp"

using namespace mscale;

namespace {

std::string marked(std::size_t column, std::size_t width, std::string line)
{
    return mark({"here", 1, column, width, std::move(line)});
}

std::string nearest(std::string_view read)
{
    constexpr std::array<std::string_view, 4> words = {"cores", "near", "hugepages", "sm"};
    return nearest_spelling(read, words).value_or("(nothing)");
}

} // namespace

START_TEST(carets_stand_under_the_fault)
{
    expect_text(marked(1, 6, "gpu.smm=8"), "gpu.smm=8\n^~~~~~");
    expect_text(marked(5, 3, "gpu.smm=8"), "gpu.smm=8\n    ^~~");
}
END_TEST

START_TEST(control_characters_are_made_visible_and_the_carets_follow)
{
    expect_text(marked(3, 1, "\ta=\x01"), "\\x09a=\\x01\n     ^");
    expect_text(marked(4, 1, "\ta=\x01"), "\\x09a=\\x01\n      ^~~~");
}
END_TEST

START_TEST(a_fault_at_the_end_of_the_line_stands_behind_it)
{
    expect_text(marked(4, 1, "a=b"), "a=b\n   ^");
    expect_text(marked(90, 5, "a=b"), "a=b\n   ^");
    expect_text(marked(1, 1, ""), "\n^");
}
END_TEST

START_TEST(a_long_line_is_cut_around_the_fault)
{
    const std::string text = marked(500, 3, std::string(499, 'a') + "xyz" + std::string(500, 'b'));
    const auto split_lines = split(text, '\n');
    ck_assert_uint_lt(split_lines[0].size(), 110);
    ck_assert(split_lines[0].substr(split_lines[1].find('^'), 3) == "xyz");
    ck_assert(split_lines[0].starts_with("...") && split_lines[0].ends_with("..."));
}
END_TEST

START_TEST(numbers_never_wrap)
{
    ck_assert(parse_number("18446744073709551615") == UINT64_MAX);
    for (const char* text : {"18446744073709551616", "", " 1", "1 ", "+1", "-1", "0x1", "1k"})
        ck_assert_msg(!parse_number(text), "'%s' was read", text);
}
END_TEST

START_TEST(the_nearest_spelling_is_one_that_was_likely_meant)
{
    expect_text(nearest("core"), "cores");
    expect_text(nearest("huge_pages"), "hugepages");
    expect_text(nearest("naer"), "near");
    expect_text(nearest("smm"), "sm");
    expect_text(nearest("bandwidth"), "(nothing)");
    expect_text(nearest(""), "(nothing)");
}
END_TEST

START_TEST(text_is_trimmed_split_and_joined)
{
    ck_assert(trim(" \t a b\r\n") == "a b" && trim("  ").empty());
    ck_assert(split("a,,b", ',') == (std::vector<std::string_view>{"a", "", "b"}));
    ck_assert(split("", ',') == std::vector<std::string_view>{""});
    const std::vector<std::string> words = {"a", "b"};
    expect_text(join(words, ", "), "a, b");
}
END_TEST

START_TEST(unprintable_bytes_are_shown_and_long_texts_cut)
{
    expect_text(printable("a\nb\x80"), "a\\x0Ab\\x80");
    expect_text(printable("abcdef", 3), "abc…");
    expect_text(printable("ab\n", 4), "ab…");
}
END_TEST

START_TEST(bytes_are_told_exactly)
{
    expect_text(format_bytes(64ULL << 20), "64 MiB");
    expect_text(format_bytes(3ULL << 29), "1.5 GiB");
    expect_text(format_bytes(2048), "2 KiB");
    expect_text(format_bytes(1025), "1025 bytes");
    expect_text(format_bytes(0), "0 bytes");
}
END_TEST

Suite* text_suite()
{
    return make_suite("text", carets_stand_under_the_fault,
                      control_characters_are_made_visible_and_the_carets_follow,
                      a_fault_at_the_end_of_the_line_stands_behind_it, a_long_line_is_cut_around_the_fault,
                      numbers_never_wrap, the_nearest_spelling_is_one_that_was_likely_meant,
                      text_is_trimmed_split_and_joined, unprintable_bytes_are_shown_and_long_texts_cut,
                      bytes_are_told_exactly);
}
