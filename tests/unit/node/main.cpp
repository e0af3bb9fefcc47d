#include <filesystem>

#include "base/files.hpp"
#include "daemon/node/contradictions.hpp"
#include "daemon/node/job_environment.hpp"
#include "daemon/node/slurm_user.hpp"
#include "daemon/node/step.hpp"
#include "tests/unit/node/suites.hpp"

using namespace mscale;
using namespace mscale::node;

namespace {

CpuSet set_of(std::string_view list)
{
    return parse_cpu_list(list, true).value();
}

/// Four cores of two siblings; core 3's second sibling is offline.
hal::Machine make_machine()
{
    hal::Machine machine;
    for (const char* cpus : {"0,4", "1,5", "2,6", "3"}) {
        hal::Core core;
        core.cpus = set_of(cpus);
        machine.cores.push_back(core);
        machine.online = machine.online | core.cpus;
    }
    hal::NumaNode node;
    node.huge_pages = {{2 << 20, 100, 10, 0}};
    machine.numa = {node};
    return machine;
}

std::string granted(std::string_view cores, std::string_view affinity)
{
    StepQuestion question;
    question.cores = set_of(cores);
    question.affinity = set_of(affinity);
    const auto cpus = grant_cpus(question, make_machine());
    return cpus ? to_string(*cpus) : std::string(entry_of(cpus.error().code).id);
}

/// By the uid, from a slurm.conf of this text and an other.conf of that one.
uid_t slurm_user_of(std::string_view text, std::string_view other = "")
{
    std::string directory = (std::filesystem::temp_directory_path() / "mscale-node.XXXXXX").native();
    ck_assert_ptr_nonnull(mkdtemp(directory.data()));
    ck_assert(replace_file(directory + "/slurm.conf", text, 0644).has_value());
    ck_assert(replace_file(directory + "/other.conf", other, 0644).has_value());
    setenv("SLURM_CONF", (directory + "/slurm.conf").c_str(), 1);
    const uid_t found = read_slurm_user().value();
    std::filesystem::remove_all(directory);
    return found;
}

contract::Site site_in(const std::string& directory)
{
    contract::Site site;
    site.state = directory;
    return site;
}

contract::Refusal refusal(Code code)
{
    return {code, "role.loader.cores", "4", "", ""};
}

} // namespace

START_TEST(abstract_cores_become_the_kernels_cpus)
{
    ck_assert(granted("0,3", "0-6") == "0,3-4");
    ck_assert(granted("0-1", "") == "0-1,4-5");
}
END_TEST

START_TEST(the_kernels_own_mask_is_intersected)
{
    ck_assert(granted("0-1", "0,1") == "0-1");
    ck_assert(granted("0-1", "2") == "MSC-S002");
}
END_TEST

START_TEST(a_core_that_the_machine_lacks_is_refused)
{
    ck_assert(granted("0,4", "0-6") == "MSC-V001");
}
END_TEST

START_TEST(without_a_core_list_all_that_may_run_is_granted)
{
    ck_assert(granted("", "1-2") == "1-2");
}
END_TEST

START_TEST(a_jobs_own_pages_count_as_free_for_its_steps)
{
    hal::Machine machine = make_machine();
    contract::Plan plan;
    plan.pages = {{2 << 20, 64, 0}};
    give_own_pages(machine, plan);
    ck_assert_uint_eq(machine.numa[0].huge_pages[0].free, 74);
}
END_TEST

START_TEST(a_question_is_read_whole_or_refused)
{
    const auto question = read_step_question(
        R"({"job":7,"step":0,"uid":1000,"tasks":2,"step_cores":"","job_cores":"0-1","affinity":"0-3"})");
    ck_assert(question.has_value());
    ck_assert(question->job_id == 7 && question->tasks == 2 && question->cores == set_of("0-1"));
    ck_assert(!read_step_question(R"({"job":7})"));
    ck_assert(!read_step_question("nonsense"));
    ck_assert(!read_step_question(
        R"({"job":7,"step":0,"uid":1000,"tasks":2,"step_cores":"x","job_cores":"0-1","affinity":"0-3"})"));
}
END_TEST

START_TEST(slurm_user_is_found_as_slurm_finds_it)
{
    ck_assert_uint_eq(slurm_user_of("ClusterName=a\nslurmuser = 4711 # who\n"), 4711);
    ck_assert_uint_eq(slurm_user_of("SlurmUser=64030(slurm)\n"), 64030);
    ck_assert_uint_eq(slurm_user_of("ClusterName=a SlurmUser=4711 SlurmdUser=root\n"), 4711);
    ck_assert_uint_eq(slurm_user_of("SlurmUser=1\nSlurmUser=4711\n"), 4711); // as Slurm: the latest
    ck_assert_uint_eq(slurm_user_of("#SlurmUser=1\nSlurmdUser=2\n"), 0);
}
END_TEST

START_TEST(slurm_user_is_found_in_an_included_file)
{
    ck_assert_uint_eq(slurm_user_of("Include other.conf\n", "Include slurm.conf\nSlurmUser=4711\n"), 4711);
    setenv("SLURM_CONF", "/absent", 1);
    ck_assert_uint_eq(read_slurm_user().value(), 0);
}
END_TEST

START_TEST(contradictions_are_counted_in_a_row)
{
    std::string directory = (std::filesystem::temp_directory_path() / "mscale-node.XXXXXX").native();
    ck_assert_ptr_nonnull(mkdtemp(directory.data()));
    const contract::Site site = site_in(directory);
    const auto count = [&] { return read_file(directory + "/contradictions").value_or("none"); };
    for (int i = 0; i < 2; ++i)
        ck_assert(count_contradiction(site, {refusal(Code::no_such_gpu)}).has_value());
    ck_assert(count() == "2\n");
    ck_assert(count_contradiction(site, {refusal(Code::too_few_huge_pages)}).has_value());
    ck_assert(count() == "none");
    ck_assert(count_contradiction(site, {}).has_value());
    std::filesystem::remove_all(directory);
}
END_TEST

START_TEST(the_prologs_environment_is_read)
{
    setenv("SLURM_JOB_ID", "7", 1);
    setenv("SLURM_JOB_UID", "1000", 1);
    setenv("SLURM_JOB_GID", "100", 1);
    setenv("MSCALE_SM_SLICES", "0-2,5", 1);
    setenv("SPANK_MSCALE_VERIFIED", "MUNGE:", 1);
    const auto job = read_job_environment();
    ck_assert(job && job->job_id == 7 && job->gid == 100 && job->verified == "MUNGE:" && !job->has_request);
    ck_assert(job->sm_slices == (std::vector<unsigned>{0, 1, 2, 5}));
    setenv("SLURM_JOB_UID", "4294967296", 1);
    ck_assert(!read_job_environment());
}
END_TEST

int main()
{
    Suite* suite = suite_create("node");
    TCase* tests = tcase_create("node");
    for (const TTest* test :
         {abstract_cores_become_the_kernels_cpus, the_kernels_own_mask_is_intersected,
          a_core_that_the_machine_lacks_is_refused, without_a_core_list_all_that_may_run_is_granted,
          a_jobs_own_pages_count_as_free_for_its_steps, a_question_is_read_whole_or_refused,
          slurm_user_is_found_as_slurm_finds_it, slurm_user_is_found_in_an_included_file,
          contradictions_are_counted_in_a_row, the_prologs_environment_is_read})
        tcase_add_test(tests, test);
    suite_add_tcase(suite, tests);
    return run_suites(suite, acts_suite());
}
