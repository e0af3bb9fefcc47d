#include "spank/prolog.hpp"

#include "contract/refused_file.hpp"
#include "base/process.hpp"
#include "spank/epilog.hpp"
#include "spank/node_program.hpp"
#include "spank/slurm_conf.hpp"
#include "tests/unit/spank/fake_slurm.hpp"
#include "tests/unit/spank/site_directory.hpp"
#include "tests/unit/spank/suites.hpp"

using namespace mscale;
using namespace mscale::spank;
using namespace std::chrono_literals;

static const char* const verified[] = {"SPANK_MSCALE_VERIFIED=MUNGE:x",
                                       "SPANK_LD_PRELOAD=/tmp/x",
                                       "LD_PRELOAD=/tmp/x",
                                       "SLURM_JOB_ID=12",
                                       "MSCALE_SM_SLICES=0-3",
                                       nullptr};
static const char* const without[] = {"SLURM_JOB_ID=12", "SPANK_OTHER=1", "MSCALE_SM_SLICES=0", nullptr};

static FakeSlurm job_script()
{
    FakeSlurm slurm;
    slurm.where = Context::job_script;
    slurm.facts.job_id = 12;
    return slurm;
}

/// The reason that the prolog leaves for the tasks.
static contract::Refusal refusal_after(const SiteDirectory& site)
{
    auto slurm = job_script();
    ck_assert(apply_contract(slurm, site.arguments, verified) == Decision::go_on);
    const auto refusals = contract::read_refused_file(site.jobs(), 12);
    ck_assert_msg(refusals.has_value(), "nothing was left for the tasks");
    ck_assert_uint_eq(refusals->size(), 1);
    return refusals->front();
}

static bool holds(const std::string& text, const std::string& words)
{
    return text.find(words) != std::string::npos;
}

START_TEST(a_job_without_a_mscale_variable_runs_nothing)
{
    SiteDirectory site;
    site.write_node_program("exit 0");
    auto slurm = job_script();
    ck_assert(apply_contract(slurm, site.arguments, without) == Decision::go_on);
    expect_text(site.read("call"), "");
    ck_assert(!std::filesystem::exists(site.path + "/state"));
}
END_TEST

START_TEST(apply_gets_the_verified_text_and_no_foreign_variable)
{
    SiteDirectory site;
    site.write_node_program("mkdir -p state/jobs; touch state/jobs/12.json");
    auto slurm = job_script();
    ck_assert(apply_contract(slurm, site.arguments, verified) == Decision::go_on);
    expect_text(site.read("call"), ("--config " + site.arguments.config + " apply\n"));
    const std::string environment = site.read("env");
    ck_assert(holds(environment, "SPANK_MSCALE_VERIFIED=MUNGE:x") &&
              holds(environment, "MSCALE_SM_SLICES=0-3"));
    ck_assert_msg(!holds(environment, "LD_PRELOAD"), "%s", environment.c_str());
    ck_assert(!std::filesystem::exists(site.jobs() + "/12.refused"));
}
END_TEST

START_TEST(a_missing_program_is_left_as_the_refusal)
{
    SiteDirectory site;
    const auto refusal = refusal_after(site);
    ck_assert(refusal.code == Code::plugin_missing);
    ck_assert(holds(refusal.reason, site.path + "/mscale-node"));
}
END_TEST

START_TEST(a_crash_is_left_with_its_signal)
{
    SiteDirectory site;
    site.write_node_program("kill -SEGV $$");
    ck_assert(holds(refusal_after(site).reason, "signal 11"));
}
END_TEST

START_TEST(a_hang_ends_at_the_deadline)
{
    SiteDirectory site;
    site.write_node_program("sleep 300");
    const auto refusal = refusal_after(site);
    ck_assert(refusal.code == Code::deadline);
    ck_assert_msg(holds(refusal.reason, "within 1 s"), "%s", refusal.reason.c_str());
}
END_TEST

START_TEST(the_deadline_lies_before_slurms_own)
{
    SiteDirectory site;
    site.write("slurm.conf", "ClusterName=x\n#PrologEpilogTimeout=90\n prologepilogtimeout = 1 # short\n");
    site.write_node_program("sleep 300");
    auto slurm = job_script();
    const std::string conf = "SLURM_CONF=" + site.path + "/slurm.conf";
    const char* const environment[] = {"SPANK_MSCALE_VERIFIED=MUNGE:x", conf.c_str(), nullptr};
    ck_assert(apply_contract(slurm, site.arguments, environment) == Decision::go_on);
    const auto refusals = contract::read_refused_file(site.jobs(), 12);
    ck_assert(refusals && refusals->front().code == Code::deadline);
    ck_assert(read_script_timeout(site.path + "/slurm.conf", Script::prolog) == 1s);
    ck_assert(!read_script_timeout(site.path + "/mscale.conf", Script::prolog));
}
END_TEST

START_TEST(slurms_timeouts_are_found_in_included_files_and_by_their_newer_names)
{
    SiteDirectory site;
    const std::string conf = site.path + "/slurm.conf";
    site.write("slurm.conf",
               "ClusterName=x SlurmUser=slurm\ninclude %c-times.conf\nPrologEpilogTimeout=60\n");
    site.write("x-times.conf",
               "PrologEpilogTimeout=90\nMessageTimeout=10 \\\n EpilogTimeout = 20 PrologTimeout=\"70\"\n");
    ck_assert(read_script_timeout(conf, Script::prolog) == 60s);
    ck_assert(read_script_timeout(conf, Script::epilog) == 20s);
    site.write("slurm.conf", "PrologTimeout=65534\nEpilogTimeout=none\nInclude slurm.conf\n");
    ck_assert(!read_script_timeout(conf, Script::prolog) && !read_script_timeout(conf, Script::epilog));
}
END_TEST

START_TEST(even_a_killed_program_that_does_not_go_leaves_time_before_slurms_timeout)
{
    for (const auto slurms_own : {1s, 2s, 4s, 10s, 60s}) {
        const Times times = plan_times(20s, slurms_own);
        ck_assert(times.deadline > 0s && times.death_limit > 0s);
        ck_assert(times.deadline + times.death_limit <=
                  slurms_own - std::min<std::chrono::milliseconds>(1s, slurms_own / 4));
    }
    ck_assert((plan_times(20s, 60s) == Times{20s, default_death_limit}));
    ck_assert((plan_times(20s, std::nullopt) == Times{20s, default_death_limit}));
}
END_TEST

START_TEST(a_status_other_than_zero_is_left_with_what_it_said)
{
    SiteDirectory site;
    site.write_node_program("echo no room >&2; exit 3");
    const auto refusal = refusal_after(site);
    ck_assert_msg(holds(refusal.reason, "status 3: no room"), "%s", refusal.reason.c_str());
}
END_TEST

START_TEST(an_apply_that_leaves_no_ledger_is_left_as_the_refusal)
{
    SiteDirectory site;
    site.write_node_program("exit 0");
    ck_assert(refusal_after(site).code == Code::ledger);
}
END_TEST

START_TEST(a_site_that_only_observes_leaves_no_refusal)
{
    SiteDirectory site;
    site.write("mscale.conf",
               "[site]\nmode = observe\n[paths]\nstate = " + site.path + "/state\nnode_program = /none\n");
    auto slurm = job_script();
    ck_assert(apply_contract(slurm, site.arguments, verified) == Decision::go_on);
    ck_assert(!std::filesystem::exists(site.jobs() + "/12.refused"));
}
END_TEST

START_TEST(a_damaged_configuration_is_left_as_the_refusal)
{
    SiteDirectory site;
    site.write("mscale.conf", "[paths]\nstate = " + site.path + "/state\nnonsense = 1\n");
    auto slurm = job_script();
    ck_assert(apply_contract(slurm, site.arguments, verified) == Decision::go_on);
    expect_text(site.read("call"), "");
    // The default directory holds it now, as far as the test may write there.
    ck_assert(release_contract(slurm, site.arguments, nullptr) == Decision::go_on);
    ck_assert(!std::filesystem::exists("/run/mscale/jobs/12.refused"));
}
END_TEST

START_TEST(the_next_run_of_the_job_forgets_the_last_ones_refusal)
{
    SiteDirectory site;
    refusal_after(site);
    site.write_node_program("mkdir -p state/jobs; touch state/jobs/12.json");
    auto slurm = job_script();
    ck_assert(apply_contract(slurm, site.arguments, verified) == Decision::go_on);
    ck_assert(!std::filesystem::exists(site.jobs() + "/12.refused"));
}
END_TEST

START_TEST(the_epilog_releases_what_has_a_ledger_without_any_variable)
{
    SiteDirectory site;
    site.write_node_program("exit 0");
    contract::LedgerRecord record;
    record.job_id = 12;
    site.write_ledger(record);
    auto slurm = job_script();
    ck_assert(release_contract(slurm, site.arguments, nullptr) == Decision::go_on);
    ck_assert(holds(site.read("call"), "release"));
}
END_TEST

START_TEST(the_epilog_of_other_jobs_runs_nothing)
{
    SiteDirectory site;
    site.write_node_program("exit 0");
    auto slurm = job_script();
    ck_assert(release_contract(slurm, site.arguments, nullptr) == Decision::go_on);
    expect_text(site.read("call"), "");
}
END_TEST

START_TEST(an_epilog_whose_program_crashes_goes_on)
{
    SiteDirectory site;
    site.write_node_program("kill -SEGV $$");
    contract::LedgerRecord record;
    record.job_id = 12;
    site.write_ledger(record);
    auto slurm = job_script();
    ck_assert(release_contract(slurm, site.arguments, nullptr) == Decision::go_on);
}
END_TEST

Suite* prolog_suite()
{
    Suite* suite = suite_create("prolog and epilog");
    TCase* apply = tcase_create("apply");
    tcase_add_test(apply, a_job_without_a_mscale_variable_runs_nothing);
    tcase_add_test(apply, apply_gets_the_verified_text_and_no_foreign_variable);
    tcase_add_test(apply, a_missing_program_is_left_as_the_refusal);
    tcase_add_test(apply, a_crash_is_left_with_its_signal);
    tcase_add_test(apply, a_hang_ends_at_the_deadline);
    tcase_add_test(apply, slurms_timeouts_are_found_in_included_files_and_by_their_newer_names);
    tcase_add_test(apply, even_a_killed_program_that_does_not_go_leaves_time_before_slurms_timeout);
    tcase_add_test(apply, the_deadline_lies_before_slurms_own);
    tcase_add_test(apply, a_status_other_than_zero_is_left_with_what_it_said);
    tcase_add_test(apply, an_apply_that_leaves_no_ledger_is_left_as_the_refusal);
    tcase_add_test(apply, a_site_that_only_observes_leaves_no_refusal);
    tcase_add_test(apply, a_damaged_configuration_is_left_as_the_refusal);
    tcase_add_test(apply, the_next_run_of_the_job_forgets_the_last_ones_refusal);
    suite_add_tcase(suite, apply);
    TCase* release = tcase_create("release");
    tcase_add_test(release, the_epilog_releases_what_has_a_ledger_without_any_variable);
    tcase_add_test(release, the_epilog_of_other_jobs_runs_nothing);
    tcase_add_test(release, an_epilog_whose_program_crashes_goes_on);
    suite_add_tcase(suite, release);
    return suite;
}
