#include <set>

#include "base/error.hpp"
#include "tests/unit/base/suites.hpp"

using namespace mscale;

START_TEST(every_code_has_its_own_id_and_all_its_texts)
{
    std::set<std::string_view> ids;
    for (const CodeEntry& entry : code_table()) {
        ck_assert_msg(ids.insert(entry.id).second, "%s stands twice", entry.id.data());
        ck_assert_uint_eq(entry.id.size(), 8);
        ck_assert(!entry.cause.empty() && !entry.check.empty() && !entry.cure.empty());
        ck_assert(entry_of(entry.code).id == entry.id);
    }
}
END_TEST

START_TEST(the_codes_stand_in_the_order_of_their_ids)
{
    std::string_view last;
    for (const CodeEntry& entry : code_table()) {
        ck_assert_msg(last < entry.id, "%s stands after %s", entry.id.data(), last.data());
        last = entry.id;
    }
}
END_TEST

START_TEST(a_code_is_found_in_either_case)
{
    ck_assert(find_code("msc-v012")->code == Code::huge_page_size);
    ck_assert(!find_code("MSC-V0123"));
}
END_TEST

START_TEST(an_error_says_code_text_and_cure_in_one_line)
{
    const Error own = failure(Code::twice, "a and a", "keep one").value();
    expect_text(to_line(own), "MSC-P004: a and a; keep one");
    const Error general = failure(Code::twice, "a and a").value();
    expect_text(to_line(general), "MSC-P004: a and a; keep one of the two");
    const Error system = os_failure(Code::node_act, "open /x", ENOENT).value();
    expect_text(system.text, "open /x: No such file or directory");
}
END_TEST

START_TEST(each_kind_has_the_exit_status_of_the_design)
{
    ck_assert_int_eq(exit_status(Kind::refused), 1);
    ck_assert_int_eq(exit_status(Kind::invalid), 2);
    ck_assert_int_eq(exit_status(Kind::system), 3);
    ck_assert_int_eq(exit_status(Kind::denied), 4);
    ck_assert_int_eq(exit_status(Kind::busy), 75);
}
END_TEST

START_TEST(what_the_system_denies_is_exit_status_4_whoever_tells_it)
{
    const Error denied = os_failure(Code::config_file, "open /x", EACCES).value();
    ck_assert_int_eq(exit_status(denied), 4);
    ck_assert_int_eq(exit_status(restate(Code::machine_file, denied, "the machine").value()), 4);
    ck_assert_int_eq(exit_status(os_failure(Code::config_file, "open /x", EPERM).value()), 4);
    ck_assert_int_eq(exit_status(os_failure(Code::config_file, "open /x", ENOENT).value()), 3);
    ck_assert_int_eq(exit_status(failure(Code::machine_file, "the machine").value()), 2);
}
END_TEST

Suite* code_suite()
{
    return make_suite("code", every_code_has_its_own_id_and_all_its_texts,
                      the_codes_stand_in_the_order_of_their_ids, a_code_is_found_in_either_case,
                      an_error_says_code_text_and_cure_in_one_line,
                      each_kind_has_the_exit_status_of_the_design,
                      what_the_system_denies_is_exit_status_4_whoever_tells_it);
}
