#include "submit/node_list.hpp"

#include "tests/unit/submit/suites.hpp"

using namespace mscale::submit;

START_TEST(nodes_are_counted_without_being_named)
{
    const auto count = [](const char* list) { return measure_node_list(list).nodes; };
    ck_assert_uint_eq(count(""), 0);
    ck_assert_uint_eq(count("n1"), 1);
    ck_assert_uint_eq(count("n[1-3],gpu7,x[01-10,12]-ib"), 15);
    ck_assert_uint_eq(count("rack[0-9]n[0-9]"), 100);
    ck_assert_uint_eq(count("a,,b,"), 2);
}
END_TEST

START_TEST(a_short_list_of_very_many_nodes_is_refused)
{
    expect_text(find_list_fault("--exclude", nullptr), "");
    expect_text(find_list_fault("--exclude", "n[1-100000]"), "");
    expect_part(find_list_fault("--exclude", "n[1-100001]"),
                "--exclude=n[1-100001] names more than 100000 nodes");
    std::string many;
    for (int i = 0; i < 9000; ++i) many += "a[0-65535],";
    ck_assert(!find_list_fault("--exclude", many.c_str()).empty());
    ck_assert(!find_list_fault("--exclude", "a[0-18446744073709551615]b[0-18446744073709551615]").empty());
}
END_TEST

START_TEST(few_nodes_with_very_long_names_are_refused)
{
    const std::string list = std::string(60000, 'x') + "[0-9999]";
    expect_part(find_list_fault("--nodelist", list.c_str()), "or 16777216 bytes");
}
END_TEST

START_TEST(brackets_without_numbers_are_no_list)
{
    for (const char* list : {"n[1-", "n[]", "n[a-b]", "n[3-1]", "n[1,]", "n[[1-2]]"})
        expect_part(find_list_fault("--nodelist", list), "is no list of nodes");
}
END_TEST

Suite* node_list_suite()
{
    return make_suite("node_list", nodes_are_counted_without_being_named,
                      a_short_list_of_very_many_nodes_is_refused, few_nodes_with_very_long_names_are_refused,
                      brackets_without_numbers_are_no_list);
}
