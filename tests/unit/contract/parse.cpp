#include "contract/parse.hpp"

#include <algorithm>

#include "tests/unit/contract/texts.hpp"

using namespace mscale;
using namespace mscale::contract;

namespace {

const GivenProfiles site({{"heavy", "[gpu]\nsm = 24\n[role.loader]\ncores = 4\nnear = gpu\n"},
                          {"broken", "[gpu]\nsm = many\nsn = 1\n"},
                          {"nested", "[contract]\nprofile = heavy\n"}});

} // namespace

START_TEST(the_three_spellings_of_one_contract_are_equal)
{
    const Parsed by_profile = parse_contract("heavy,ft.every=50", "x", site);
    const Parsed inline_text =
        parse_contract("gpu.sm=24,role.loader.near=gpu,role.loader.cores=4,ft.every=50", "x", site);
    const Parsed file =
        parse_contract_ini("[contract]\nprofile = heavy\n[ft]\nrecovery_point = step_50\n", "x", site);
    ck_assert(by_profile.ok() && inline_text.ok() && file.ok());
    ck_assert(by_profile.contract == inline_text.contract && file.contract == inline_text.contract);
    expect_text(by_profile.profile, "heavy");
}
END_TEST

START_TEST(every_fault_is_reported_at_once_with_its_place)
{
    const Parsed parsed = parse("gpu.smm=3,role.a.cores=[3-2],cores=4,gpu.memory=20MB,foo.x=1,=2,gpu.model=");
    ck_assert_uint_eq(parsed.faults.size(), 7);
    std::vector<std::string> places;
    for (const Fault& fault : parsed.faults) places.push_back(marked(fault));
    for (const char* place : {"gpu.smm", "[3-2]", "cores", "20MB", "foo.x", "=", "gpu.model="})
        ck_assert_msg(std::ranges::find(places, place) != places.end(), "no fault marks '%s'", place);
}
END_TEST

START_TEST(a_caret_stands_under_the_fault)
{
    expect_text(mark(fault_of("gpu.sm=8,role.a.cors=4").place),
                "gpu.sm=8,role.a.cors=4\n         ^~~~~~~~~~~");
}
END_TEST

START_TEST(a_near_miss_is_answered_with_the_right_spelling)
{
    expect_text(fault_of("gpu.smm=3").error.cure, "did you mean 'gpu.sm'?");
    expect_text(fault_of("role.a.corse=3").error.cure, "did you mean 'role.a.cores'?");
    expect_text(fault_of("cores=3").error.cure, "did you mean 'role.NAME.cores'?");
    expect_text(fault_of("GPU.sm=3").error.cure, "did you mean 'gpu'?");
    expect_text(fault_of("gpu.SM=3").error.cure, "did you mean 'gpu.sm'?");
    expect_text(fault_of("role.a.sm=3").error.cure, "did you mean 'gpu.sm'?");
    ck_assert(fault_of("role.cores=3").error.code == Code::unknown_section);
    ck_assert(fault_of("role.Loader.cores=3").error.code == Code::bad_name);
    ck_assert(fault_of("role.a-b.cores=3").error.code == Code::bad_name);
    expect_text(fault_of("phase.a.cores=3").error.text, "sections [phase.NAME] are reserved");
}
END_TEST

START_TEST(a_clause_given_twice_names_both_places)
{
    const Fault twice = fault_of("gpu.sm=8,gpu.sm=9");
    ck_assert(twice.error.code == Code::twice && twice.place.column == 10);
    expect_text(twice.error.text, "'gpu.sm' is given twice: in line 1, column 1, and here");
    ck_assert(fault_of("ft.every=5,ft.recovery_point=step_5").error.code == Code::twice);
}
END_TEST

START_TEST(clauses_after_a_profile_override_it)
{
    const Parsed parsed = parse_contract("heavy,gpu.share=1/4,role.loader.cores=2", "x", site);
    ck_assert(parsed.ok());
    expect_text(to_canonical(parsed.contract), "gpu.share=1/4,role.loader.cores=2,role.loader.near=gpu");
}
END_TEST

START_TEST(faults_of_a_profile_are_told_with_its_name)
{
    const Parsed parsed = parse_contract("broken", "x", site);
    ck_assert_uint_eq(parsed.faults.size(), 2);
    expect_text(parsed.faults[0].place.source, "profile broken");
    ck_assert(parse_contract("nested", "x", site).faults.at(0).error.code == Code::conflict);
    ck_assert(parse_contract("heavyy", "x", site).faults.at(0).error.code == Code::unknown_profile);
}
END_TEST

START_TEST(a_set_without_brackets_is_answered_with_them)
{
    expect_text(fault_of("role.a.cores=2-3,8").error.cure,
                "a set with commas stands in brackets: role.a.cores=[2-3,8]");
    ck_assert(fault_of("role.a.cores=[2-3,8").error.code == Code::text_syntax);
    expect_text(canonical("role.a.cores=[2-3,8],gpu.sm=8"), "gpu.sm=8,role.a.cores=[2-3,8]");
}
END_TEST

START_TEST(two_clauses_that_contradict_each_other_are_a_fault)
{
    ck_assert(fault_of("gpu.sm=8,gpu.share=1/4").error.code == Code::conflict);
    ck_assert(fault_of("contract.workers=2,role.a.cores=[0-3]").error.code == Code::conflict);
    ck_assert(fault_of("role.a.cores=[0-3],role.b.cores=[3-4]").error.code == Code::conflict);
    ck_assert(parse("contract.workers=2,contract.per=node,role.a.cores=[0-3]").ok());
    ck_assert(parse("contract.workers=2,role.a.cores=4").ok());
}
END_TEST

START_TEST(a_clause_with_nothing_to_hold_on_is_a_fault_with_what_is_missing)
{
    for (const char* alone : {"gpu.sm_mode=soft", "gpu.memory_mode=hard", "role.a.io_depth=64",
                              "role.a.read_limit=2GiB/s", "role.a.write_limit=2GiB/s", "role.a.io_weight=5",
                              "role.a.write_cache=off", "role.a.frequency=performance", "ft.spill_every=2",
                              "role.a.disk=nvme,role.a.disk_queues=2"})
        ck_assert_msg(fault_of(format("gpu.model=h100,{}", alone)).error.code == Code::lone_clause, "%s", alone);
    for (const char* held : {"gpu.share=1/4,gpu.sm_mode=soft", "gpu.memory=1GiB,gpu.memory_mode=hard",
                             "role.a.near=disk,role.a.io_depth=64", "role.a.disk=any,role.a.cores=1,role.a.disk_queues=2"})
        ck_assert_msg(parse(held).ok(), "%s", held);
    ck_assert_uint_eq(parse("role.a.near=gpu,role.a.disk_queues=2").faults.size(), 2); // neither disk nor cores
    const Fault fault = fault_of("gpu.model=h100,gpu.sm_mode=soft");
    expect_text(marked(fault), "gpu.sm_mode");
    expect_text(fault.error.text, "gpu.sm_mode has nothing to hold on without gpu.sm or gpu.share");
    expect_text(fault.error.cure, "add gpu.sm=N, or leave gpu.sm_mode out");
}
END_TEST

START_TEST(what_hangs_on_a_clause_that_cannot_be_read_is_no_second_fault)
{
    ck_assert(fault_of("gpu.sm=many,gpu.sm_mode=soft").error.code == Code::bad_number);
    ck_assert(fault_of("role.a.disk=nvme0n1p1,role.a.io_depth=64").error.code == Code::bad_device);
}
END_TEST

START_TEST(a_wrong_byte_behind_an_open_bracket_is_told_with_it)
{
    const Parsed parsed = parse("role.a.cores=[0-3,gpu.sm=\x01,x=h\xC3\xA9");
    ck_assert_uint_eq(parsed.faults.size(), 3);
    ck_assert(parsed.faults[0].error.code == Code::text_syntax && parsed.faults[0].place.column == 14);
    ck_assert(parsed.faults[1].error.code == Code::bad_byte && parsed.faults[1].place.column == 26);
    ck_assert(parsed.faults[2].error.code == Code::bad_byte && parsed.faults[2].place.column == 31);
}
END_TEST

START_TEST(a_contract_that_promises_nothing_is_refused)
{
    for (const char* empty :
         {"", "   ", "\n", "contract.strict=no,on_breach.action=warn", "; a comment\n", "[gpu]\n"})
        ck_assert_msg(fault_of(empty).error.code == Code::empty_contract, "'%s'", empty);
}
END_TEST

START_TEST(only_ascii_is_read_and_the_bad_byte_is_named)
{
    const Fault fault = fault_of("gpu.sm=8,gpu.model=h\xC3\xA9");
    ck_assert(fault.error.code == Code::bad_byte && fault.place.column == 21);
    expect_text(fault.error.text, "byte 0xC3 at offset 20 is not ASCII");
    ck_assert(fault_of(std::string_view("gpu.sm=8\0", 9)).error.code == Code::bad_byte);
}
END_TEST

START_TEST(a_contract_of_64_kib_is_read_and_a_larger_one_is_not)
{
    std::string text = "gpu.sm=8";
    text.resize(contract_limit, ' ');
    ck_assert(parse(text).ok());
    ck_assert(fault_of(text + " ").error.code == Code::too_large);
}
END_TEST

START_TEST(many_faults_end_in_one_that_says_so)
{
    std::string text = "gpu.sm=8";
    for (int i = 0; i < 5000; ++i) text += ",x" + std::to_string(i);
    const Parsed parsed = parse(text);
    ck_assert_uint_eq(parsed.faults.size(), 101);
    expect_text(parsed.faults.back().error.text, "further faults aren't listed");
}
END_TEST

START_TEST(a_file_or_an_amendment_inside_a_text_is_refused)
{
    ck_assert(fault_of("@llava.ini").error.code == Code::contract_file);
    ck_assert(fault_of("+gpu.sm=8").error.code == Code::unknown_section);
    ck_assert(fault_of("+heavy").error.code == Code::text_syntax);
}
END_TEST

START_TEST(another_spelling_is_told_as_what_it_is_read_as)
{
    const Parsed parsed = parse("role.a.hugepages=512x2M,role.a.cores=2-3+8");
    ck_assert_uint_eq(parsed.notes.size(), 2);
    expect_text(parsed.notes[0], "role.a.hugepages: 512x2M is read as 2MiB*512");
    ck_assert(parse("role.a.hugepages=2MiB*512").notes.empty());
}
END_TEST

START_TEST(lines_separate_clauses_as_commas_do)
{
    expect_text(canonical("gpu.sm=8\n\nft.every=5\r\n"), "gpu.sm=8,ft.every=5");
    ck_assert(fault_of("gpu.sm=8,,ft.every=5").error.code == Code::text_syntax);
    for (const char* text : {"\rgpu.sm=8", "gpu.sm=8\rft.every=5", "gpu.sm=8\r,ft.every=5", "gpu.sm=8\n\rft.every=5"})
        ck_assert(fault_of(text).error.code == Code::bad_byte);
    ck_assert(fault_of("gpu.sm=8,").error.code == Code::text_syntax);
    const Fault second = fault_of("gpu.sm=8\nft.evry=5");
    ck_assert(second.place.line == 2 && second.place.column == 1);
}
END_TEST

Suite* parse_suite()
{
    return make_suite(
        "parse", the_three_spellings_of_one_contract_are_equal,
        every_fault_is_reported_at_once_with_its_place, a_caret_stands_under_the_fault,
        a_near_miss_is_answered_with_the_right_spelling, a_clause_given_twice_names_both_places,
        clauses_after_a_profile_override_it, faults_of_a_profile_are_told_with_its_name,
        a_set_without_brackets_is_answered_with_them, two_clauses_that_contradict_each_other_are_a_fault,
        a_clause_with_nothing_to_hold_on_is_a_fault_with_what_is_missing,
        what_hangs_on_a_clause_that_cannot_be_read_is_no_second_fault,
        a_wrong_byte_behind_an_open_bracket_is_told_with_it, a_contract_that_promises_nothing_is_refused, only_ascii_is_read_and_the_bad_byte_is_named,
        a_contract_of_64_kib_is_read_and_a_larger_one_is_not, many_faults_end_in_one_that_says_so,
        a_file_or_an_amendment_inside_a_text_is_refused, another_spelling_is_told_as_what_it_is_read_as,
        lines_separate_clauses_as_commas_do);
}
