#include "spank/submit.hpp"

#include "contract/parse.hpp"
#include "tests/unit/spank/fake_slurm.hpp"
#include "tests/unit/spank/site_directory.hpp"
#include "tests/unit/spank/suites.hpp"

using namespace mscale::spank;

/// What job_submit would get for these texts, or "" when nothing is handed over.
static std::string handed_over(FakeSlurm& slurm, const SiteDirectory& site, std::vector<std::string> texts)
{
    Request request{std::move(texts), ""};
    const auto decision = hand_over_contract(slurm, request, site.arguments);
    ck_assert_msg(decision == Decision::go_on, "%s", slurm.told.c_str());
    return slurm.job_control["MSCALE_CONTRACT"];
}

START_TEST(the_canonical_text_is_handed_over)
{
    SiteDirectory site;
    FakeSlurm slurm;
    expect_text(handed_over(slurm, site, {" role.loader.hugepages=4x2MiB, role.loader.cores=1"}),
                "role.loader.cores=1,role.loader.hugepages=2MiB*4");
}
END_TEST

START_TEST(a_file_is_read_by_the_client)
{
    SiteDirectory site;
    FakeSlurm slurm;
    site.write("c.ini", "[role.loader]\ncores = 2\n");
    expect_text(handed_over(slurm, site, {"@" + site.path + "/c.ini"}), "role.loader.cores=2");
}
END_TEST

START_TEST(a_later_text_with_plus_amends_the_earlier_one)
{
    SiteDirectory site;
    FakeSlurm slurm;
    expect_text(handed_over(slurm, site, {"role.a.cores=1,role.b.cores=1", "+role.b.cores=2"}),
                "role.a.cores=1,role.b.cores=2");
}
END_TEST

START_TEST(a_later_text_without_plus_replaces_and_tells_what_was_dropped)
{
    SiteDirectory site;
    FakeSlurm slurm;
    expect_text(handed_over(slurm, site, {"role.a.cores=1", "role.b.cores=2"}), "role.b.cores=2");
    ck_assert_msg(slurm.said("role.a.cores"), "%s", slurm.told.c_str());
}
END_TEST

START_TEST(every_fault_is_told_with_a_caret_and_nothing_is_handed_over)
{
    SiteDirectory site;
    FakeSlurm slurm;
    Request request{{"role.loader.coers=1,role.loader.hugepages=7MB*2"}, ""};
    ck_assert(hand_over_contract(slurm, request, site.arguments) == Decision::refuse);
    ck_assert_msg(slurm.said("coers") && slurm.said("7MB") && slurm.said("^"), "%s", slurm.told.c_str());
    ck_assert(!slurm.job_control.count("MSCALE_CONTRACT"));
}
END_TEST

START_TEST(a_job_without_a_contract_reads_no_file)
{
    FakeSlurm slurm;
    Request request;
    Arguments arguments;
    arguments.config = "/nonexistent/mscale.conf";
    arguments.faults = {"an unknown word"};
    ck_assert(hand_over_contract(slurm, request, arguments) == Decision::go_on);
    expect_text(slurm.told, "");
}
END_TEST

START_TEST(an_unknown_word_in_plugstack_is_told_to_who_asks_for_a_contract)
{
    SiteDirectory site;
    FakeSlurm slurm;
    site.arguments.faults = {"'colour=red' in plugstack.conf"};
    Request request{{"role.loader.cores=1"}, ""};
    ck_assert(hand_over_contract(slurm, request, site.arguments) == Decision::refuse);
    ck_assert(slurm.said("colour=red"));
}
END_TEST

START_TEST(the_twin_is_read_when_no_option_is_given_and_always_unset)
{
    SiteDirectory site;
    FakeSlurm slurm;
    Request request;
    ::setenv("MSCALE_CONTRACT", "role.twin.cores=1", 1);
    read_client_environment(request);
    ck_assert_ptr_null(std::getenv("MSCALE_CONTRACT"));
    ck_assert(hand_over_contract(slurm, request, site.arguments) == Decision::go_on);
    expect_text(slurm.job_control["MSCALE_CONTRACT"], "role.twin.cores=1");
    request.texts = {"role.option.cores=1"};
    ck_assert(hand_over_contract(slurm, request, site.arguments) == Decision::go_on);
    expect_text(slurm.job_control["MSCALE_CONTRACT"], "role.option.cores=1");
}
END_TEST

START_TEST(the_second_component_doesnt_get_the_first_ones_contract)
{
    SiteDirectory site;
    FakeSlurm slurm;
    Request request{{"role.first.cores=1"}, ""};
    ck_assert(hand_over_contract(slurm, request, site.arguments) == Decision::go_on);
    ck_assert_ptr_nonnull(std::getenv("MSCALE_JOB"));
    ck_assert(hand_over_contract(slurm, request, site.arguments) == Decision::go_on);
    ck_assert(!slurm.job_control.count("MSCALE_CONTRACT"));
    ck_assert_ptr_null(std::getenv("MSCALE_JOB"));
}
END_TEST

START_TEST(what_an_outer_job_left_behind_is_forgotten)
{
    const char* names[] = {"SLURM_SPANK__SLURM_SPANK_OPTION_mscale_mscale_contract",
                           "_SLURM_SPANK_OPTION_mscale_mscale_contract", "SLURM_SPANK_MSCALE_CONTRACT",
                           "SLURM_SPANK_MSCALE_VERIFIED"};
    for (const char* name : names) ::setenv(name, "role.outer.cores=1", 1);
    Request request;
    read_client_environment(request);
    for (const char* name : names) ck_assert_ptr_null(std::getenv(name));
    FakeSlurm slurm;
    slurm.job_control = {{"MSCALE_CONTRACT", "x"},
                         {"MSCALE_VERIFIED", "x"},
                         {"_SLURM_SPANK_OPTION_mscale_mscale_contract", "x"}};
    ck_assert(hand_over_contract(slurm, request, {}) == Decision::go_on);
    ck_assert(slurm.job_control.empty());
}
END_TEST

START_TEST(a_step_cant_have_a_contract_of_its_own)
{
    SiteDirectory site;
    FakeSlurm slurm;
    slurm.where = Context::local;
    ::setenv("SLURM_JOB_ID", "12", 1);
    Request request{{"role.loader.cores=1"}, ""};
    ck_assert(hand_over_contract(slurm, request, site.arguments) == Decision::refuse);
    ck_assert_msg(slurm.said("part of job 12"), "%s", slurm.told.c_str());
    request.twin = "role.loader.cores=1";
    ck_assert(hand_over_contract(slurm, request, site.arguments) == Decision::go_on);
    ::unsetenv("SLURM_JOB_ID");
    ck_assert(!slurm.job_control.count("MSCALE_CONTRACT"));
}
END_TEST

Suite* submit_suite()
{
    Suite* suite = suite_create("submit");
    TCase* hand_over = tcase_create("hand-over");
    tcase_add_test(hand_over, the_canonical_text_is_handed_over);
    tcase_add_test(hand_over, a_file_is_read_by_the_client);
    tcase_add_test(hand_over, a_later_text_with_plus_amends_the_earlier_one);
    tcase_add_test(hand_over, a_later_text_without_plus_replaces_and_tells_what_was_dropped);
    tcase_add_test(hand_over, every_fault_is_told_with_a_caret_and_nothing_is_handed_over);
    tcase_add_test(hand_over, a_job_without_a_contract_reads_no_file);
    tcase_add_test(hand_over, an_unknown_word_in_plugstack_is_told_to_who_asks_for_a_contract);
    suite_add_tcase(suite, hand_over);
    TCase* inherited = tcase_create("inherited");
    tcase_add_test(inherited, the_twin_is_read_when_no_option_is_given_and_always_unset);
    tcase_add_test(inherited, the_second_component_doesnt_get_the_first_ones_contract);
    tcase_add_test(inherited, what_an_outer_job_left_behind_is_forgotten);
    tcase_add_test(inherited, a_step_cant_have_a_contract_of_its_own);
    suite_add_tcase(suite, inherited);
    return suite;
}
