#include "base/ini.hpp"

#include "base/files.hpp"
#include "tests/unit/base/suites.hpp"

using namespace mscale;

namespace {

Ini parse_case(const std::string& name)
{
    const auto text = read_file(fixture("cases/ini/" + name));
    ck_assert_msg(text.has_value(), "%s", name.c_str());
    return parse_ini(*text, name);
}

std::string value_of(const Ini& ini, std::string_view section, std::string_view key)
{
    for (const IniEntry& entry : ini.entries)
        if (entry.section == section && entry.key == key) return entry.value;
    return "(none)";
}

/// The only fault of a text.
Fault ini_fault_of(std::string_view text)
{
    const Ini ini = parse_ini(text, "here");
    ck_assert_msg(ini.faults.size() == 1, "'%s' has %zu faults", std::string(text).c_str(),
                  ini.faults.size());
    return ini.faults.front();
}

void expect_fault(std::string_view text, Code code, std::size_t line, std::size_t column,
                  const std::string& part)
{
    const Fault fault = ini_fault_of(text);
    ck_assert_msg(fault.error.text.find(part) != std::string::npos, "'%s'", fault.error.text.c_str());
    ck_assert(fault.error.code == code);
    ck_assert_uint_eq(fault.place.line, line);
    ck_assert_uint_eq(fault.place.column, column);
}

struct Damaged {
    const char* file;
    Code code;
    const char* part;
};
constexpr Damaged damaged_files[] = {
    {"dup_key.ini", Code::twice, "key 'numa' of [loader] stands in line 5 and again in line 6"},
    {"dup_section.ini", Code::twice, "section [loader] stands in line 3 and again in line 12"},
    {"nul_byte.ini", Code::bad_byte, "byte 0x00 at offset 20 is a NUL byte"},
};
constexpr const char* sound_files[] = {"good.ini", "crlf.ini", "bom.ini", "no_final_newline.ini",
                                       "inline_comment.ini"};

} // namespace

START_TEST(sound_files_give_the_same_entries)
{
    for (const char* file : sound_files) {
        const Ini ini = parse_case(file);
        ck_assert_msg(ini.faults.empty(), "%s: %s", file, to_text(ini.faults).c_str());
        expect_text(value_of(ini, "contract", "name"), "demo");
        expect_text(value_of(ini, "loader", "numa"), "0");
        expect_text(value_of(ini, "rdma", "hugepage_size"), "2M");
        ck_assert_uint_eq(ini.entries.size(), 7);
    }
}
END_TEST

START_TEST(a_damaged_file_is_named_with_both_places)
{
    for (const auto& [file, code, part] : damaged_files) {
        const Ini ini = parse_case(file);
        ck_assert_msg(!ini.faults.empty(), "%s was read", file);
        ck_assert_msg(ini.faults[0].error.text == part, "%s: %s", file, ini.faults[0].error.text.c_str());
        ck_assert(ini.faults[0].error.code == code);
    }
}
END_TEST

START_TEST(a_long_line_is_read_whole)
{
    const Ini ini = parse_case("long_line_300.ini");
    ck_assert(ini.faults.empty());
    ck_assert(value_of(ini, "loader", "cpu_cores").ends_with(",98,99"));
    const std::string longest = "[a]\nk = " + std::string(60000, 'x') + "\nz = 1\n";
    ck_assert_uint_eq(value_of(parse_ini(longest, "here"), "a", "k").size(), 60000);
    expect_text(value_of(parse_ini(longest, "here"), "a", "z"), "1");
}
END_TEST

START_TEST(a_file_without_keys_has_no_faults_and_no_entries)
{
    for (const char* file : {"empty.ini", "comments_only.ini"}) {
        const Ini ini = parse_case(file);
        ck_assert(ini.faults.empty() && ini.entries.empty());
    }
}
END_TEST

START_TEST(a_text_over_the_limit_is_not_read)
{
    const std::string text = "[a]\nk = 1\n";
    ck_assert(parse_ini(text, "here", text.size()).faults.empty());
    const Ini ini = parse_ini(text, "here", text.size() - 1);
    ck_assert(ini.entries.empty() && ini.faults.at(0).error.code == Code::too_large);
}
END_TEST

START_TEST(what_inih_passes_in_silence_is_a_fault)
{
    expect_fault("[a]\nk = 1\n  more\n", Code::text_syntax, 3, 1, "begins with a blank");
    expect_fault("[a]\nk : 1\n", Code::text_syntax, 2, 1, "neither [SECTION] nor key = value");
    expect_fault("[a] k = 1\n", Code::text_syntax, 1, 4, "text after ']'");
    expect_fault("k = 1\n[a]\n", Code::text_syntax, 1, 1, "key 'k' stands before any section");
    expect_fault("[" + std::string(50, 's') + "]\n", Code::text_syntax, 1, 2, "is no section's name");
    expect_fault("[a]\n= 1\n", Code::text_syntax, 2, 1, "neither");
    expect_fault("[a]\nk\n", Code::text_syntax, 2, 1, "neither");
    expect_fault("[a]\nk = 1\rz = 2\n", Code::bad_byte, 2, 6, "byte 0x0D at offset 9 is a control character");
    expect_fault("[a]\nk = \xC3\xA9\n", Code::bad_byte, 2, 5, "is not ASCII");
}
END_TEST

START_TEST(below_a_damaged_heading_only_the_heading_is_a_fault)
{
    expect_fault("[a\nk = 1\nz = 2\n", Code::text_syntax, 1, 1, "has no ']'");
}
END_TEST

START_TEST(every_fault_is_reported_and_sound_lines_are_still_read)
{
    const Ini ini = parse_ini("[a]\nk\nk = 1\nk = 2\nz = 3\n", "here");
    ck_assert_uint_eq(ini.faults.size(), 2);
    expect_text(value_of(ini, "a", "k"), "1");
    expect_text(value_of(ini, "a", "z"), "3");
}
END_TEST

START_TEST(comments_may_hold_any_text_but_control_characters)
{
    ck_assert(parse_ini("; h\xC3\xA9\n[a]\nk = 1 ; \xC3\xA9 = [\n# [b\n", "here").faults.empty());
    ck_assert_uint_eq(parse_ini(std::string_view("; a\0b\n", 6), "here").faults.size(), 1);
    expect_text(value_of(parse_ini("[a]\nk = x;y ; z\n", "here"), "a", "k"), "x;y");
}
END_TEST

START_TEST(an_entry_knows_where_its_key_and_value_stand)
{
    const IniEntry entry = parse_ini("[a]\nkey  =  some value  ; why\n", "here").entries.at(0);
    ck_assert_uint_eq(entry.key_place.line, 2);
    ck_assert_uint_eq(entry.key_place.width, 3);
    ck_assert_uint_eq(entry.value_place.column, 9);
    ck_assert_uint_eq(entry.value_place.width, 10);
    expect_text(entry.value_place.source, "here");
}
END_TEST

START_TEST(faults_are_told_with_place_excerpt_caret_and_cure)
{
    const std::string text = to_text(parse_ini("[a]\nk\n", "a.ini").faults);
    expect_text(text,
                "a.ini:2:1: MSC-P001: this is neither [SECTION] nor key = value\nk\n^\nwrite key = value\n");
}
END_TEST

Suite* ini_suite()
{
    return make_suite("ini", sound_files_give_the_same_entries, a_damaged_file_is_named_with_both_places,
                      a_long_line_is_read_whole, a_file_without_keys_has_no_faults_and_no_entries,
                      a_text_over_the_limit_is_not_read, what_inih_passes_in_silence_is_a_fault,
                      below_a_damaged_heading_only_the_heading_is_a_fault,
                      every_fault_is_reported_and_sound_lines_are_still_read,
                      comments_may_hold_any_text_but_control_characters,
                      an_entry_knows_where_its_key_and_value_stand,
                      faults_are_told_with_place_excerpt_caret_and_cure);
}
