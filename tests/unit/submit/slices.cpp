#include "gres/slice_lines.hpp"
#include "submit/slice_request.hpp"
#include "tests/unit/submit/suites.hpp"

using namespace mscale::submit;
using mscale::gres::find_fault;

START_TEST(a_gres_is_found_in_every_spelling_of_slurm)
{
    for (const char* tres :
         {"gres:sm:4", "gres/sm:4", "gres/sm=4", "sm:h100:4", "gres:gpu:1,gres:sm:4", "gres:sm:1;gres:sm:3"})
        ck_assert_uint_eq(find_gres(tres, "sm").value_or(0), 4);
    ck_assert_uint_eq(find_gres("gres:sm", "sm").value_or(0), 1);
}
END_TEST

START_TEST(another_gres_isnt_taken_for_ours)
{
    for (const char* tres : {"", "gres:", "gres:gpu:4", "gres:smx:4", "cpu:4"})
        ck_assert(!find_gres(tres, "sm"));
}
END_TEST

START_TEST(what_the_user_asked_is_kept)
{
    expect_text(add_slices("gres:gpu:1", "", "sm", 4, "gres:").value_or(""), "gres:gpu:1,gres:sm:4");
    expect_text(add_slices("", "", "sm", 4, "gres/").value_or(""), "gres/sm:4");
    expect_text(add_slices("gres:sm:h100:4", "", "sm", 4, "gres:").value_or(""), "gres:sm:h100:4");
}
END_TEST

START_TEST(another_number_of_slices_is_a_conflict_with_both_numbers)
{
    expect_part(add_slices("gres:sm:3", "", "sm", 4, "gres:").error().text,
                "--gres=sm:3 and the contract needs 4");
    ck_assert(!add_slices("", "gres:sm:4", "sm", 4, "gres:"));
}
END_TEST

START_TEST(slices_need_one_file_each)
{
    expect_text(find_fault({}), "");
    expect_text(find_fault({{2, {"/dev/a0", "/dev/a1"}}, {1, {"/dev/a2"}}}), "");
    expect_part(find_fault({{2, {}}}), "2 slices without File=");
    expect_part(find_fault({{3, {"/dev/a0"}}}), "3 slices with 1 files");
    expect_part(find_fault({{1, {"/dev/a0"}}, {1, {"/dev/a0"}}}), "names /dev/a0 for two slices");
}
END_TEST

Suite* slices_suite()
{
    return make_suite("slices", a_gres_is_found_in_every_spelling_of_slurm, another_gres_isnt_taken_for_ours,
                      what_the_user_asked_is_kept, another_number_of_slices_is_a_conflict_with_both_numbers,
                      slices_need_one_file_each);
}
