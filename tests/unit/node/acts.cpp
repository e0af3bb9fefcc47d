#include <algorithm>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.hpp"
#include "contract/kept_job.hpp"
#include "contract/parse.hpp"
#include "contract/refused_file.hpp"
#include "daemon/node/again.hpp"
#include "daemon/node/contradictions.hpp"
#include "daemon/node/release.hpp"
#include "daemon/node/slurm.hpp"
#include "daemon/node/step.hpp"
#include "slicing/ledger.hpp"
#include "tests/unit/node/suites.hpp"

using namespace mscale;
using namespace mscale::node;
using namespace std::chrono_literals;
using contract::StepRecord;

namespace {

/// A site whose state is a directory that goes with the test.
class ScratchSite {
public:
    ScratchSite()
    {
        path = (std::filesystem::temp_directory_path() / "mscale-acts.XXXXXX").native();
        ck_assert_ptr_nonnull(mkdtemp(path.data()));
        site.state = path;
        jobs = contract::ledger_directory(path);
    }
    ScratchSite(const ScratchSite&) = delete;
    ScratchSite& operator=(const ScratchSite&) = delete;
    ~ScratchSite() { std::filesystem::remove_all(path); }

    /// The ledger of job 7, of the run that was begun then.
    void write_ledger(std::int64_t started) const
    {
        contract::LedgerRecord record;
        record.job_id = 7;
        record.uid = ::getuid();
        record.started = started;
        record.stage = contract::Stage::applied;
        const auto ledger = slicing::Ledger::open(jobs, 7, 1s);
        ck_assert(ledger && ledger->write(record));
    }
    bool holds(const std::string& file) const { return std::filesystem::exists(jobs + "/" + file); }

    std::string path, jobs;
    contract::Site site;
};

StepRecord step_of(std::uint32_t step_id, const ProcessId& stepd, bool refused = false)
{
    StepRecord step{step_id, {}, {}, {}, stepd};
    step.plan.workers.resize(1);
    if (refused) step.refusals = {{Code::too_few_cores, "role.a.cores", "4", "1 granted", ""}};
    return step;
}

/// Two GPUs that can be cut into 16 chunks, of two models.
hal::Machine two_gpus()
{
    hal::Machine machine;
    for (unsigned index = 0; index < 2; ++index) {
        hal::Gpu gpu;
        gpu.index = index;
        gpu.model = index == 0 ? "NVIDIA H100" : "NVIDIA A100";
        gpu.sms = 128;
        gpu.sm_chunk = 8;
        machine.gpus.push_back(gpu);
    }
    machine.online = parse_cpu_list("0-3").value();
    return machine;
}

/// How many refusals of `text` with these slices are the machine's.
std::size_t count_of_machine(const std::string& text, const std::vector<unsigned>& slices)
{
    const auto parsed = contract::parse_contract(text, "test", contract::ProfileDirectory("/nowhere"));
    ck_assert(parsed.ok());
    const hal::Machine machine = two_gpus();
    const contract::Site site;
    const contract::Question question{machine, site, {{}, 1, {}, slices}};
    const auto refusals = contract::verify(parsed.contract, question).refusals;
    ck_assert_msg(!refusals.empty(), "%s isn't refused", text.c_str());
    const auto of_machine = refusals_of_machine(parsed.contract, question, refusals);
    return static_cast<std::size_t>(std::ranges::count_if(
        of_machine, [](const contract::Refusal& refusal) { return contradicts_inventory(refusal.code); }));
}

/// Opens a FIFO once somebody waits to read it.
Fd open_when_read(const std::string& path)
{
    for (int i = 0; i < 1000; ++i) {
        Fd fd(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
        if (fd) return fd;
        std::this_thread::sleep_for(10ms);
    }
    return {};
}

} // namespace

START_TEST(the_slices_of_a_node_are_read_out_of_all_that_slurmctld_grants_there)
{
    const auto read = [](const char* detail) { return read_gres_indices(detail, "sm").value(); };
    ck_assert(read("sm:h100:6(IDX:10-15)") == std::vector<unsigned>({10, 11, 12, 13, 14, 15}));
    ck_assert(read("gpu:1(IDX:0),sm:h100:3(IDX:0-1,5)") == std::vector<unsigned>({0, 1, 5}));
    ck_assert(read("sm(IDX:3),gpu:1(IDX:0)") == std::vector<unsigned>({3}));
    ck_assert(read("smart:2(IDX:0-1)").empty());
    ck_assert(read("").empty());
    ck_assert(!read_gres_indices("sm:1(IDX:x)", "sm"));
}
END_TEST

START_TEST(what_is_kept_of_a_job_is_read_as_it_was_written)
{
    const ScratchSite site;
    const contract::KeptJob kept{7, 1001, 100, "n1", "MUNGE:x", {"n1", "n2"}, {"n3"}};
    ck_assert(contract::write_kept_job(site.path, kept).has_value());
    ck_assert(contract::read_kept_job(site.path, 7).value() == kept);
    ck_assert(contract::list_kept_jobs(site.path) == std::vector<std::uint32_t>{7});
    ck_assert(contract::remove_kept_job(site.path, 7) && contract::remove_kept_job(site.path, 7));
    ck_assert(contract::read_kept_job(site.path, 7).error().code == Code::no_such_job);
}
END_TEST

START_TEST(a_job_is_kept_until_it_lives_no_more)
{
    const ScratchSite site;
    for (const std::uint32_t job_id : {7U, 8U})
        ck_assert(contract::write_kept_job(site.path, {job_id, 1001, 100, "", "x", {}, {}}).has_value());
    ck_assert(reconcile_node(std::set<std::uint32_t>{8}, site.site).has_value());
    ck_assert(contract::list_kept_jobs(site.path) == std::vector<std::uint32_t>{8});
}
END_TEST

START_TEST(a_node_is_set_up_again_only_for_the_user_whose_job_was_here_and_once)
{
    const ScratchSite site;
    ck_assert(set_up_again({7, 1001}, site.site).has_value()); // nothing is kept
    ck_assert(contract::write_kept_job(site.path, {7, 1001, 100, "", "x", {}, {}}).has_value());
    ck_assert(set_up_again({7, 1002}, site.site).has_value());
    ck_assert(!site.holds("7.json"));
    site.write_ledger(100); // another step was first
    ck_assert(set_up_again({7, 1001}, site.site).has_value());
    ck_assert_int_eq(contract::read_ledger(site.jobs, 7)->started, 100);
}
END_TEST

START_TEST(slices_that_lie_on_two_gpus_are_no_fact_of_the_machine)
{
    ck_assert_uint_eq(count_of_machine("gpu.sm=96", {10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21}), 0);
}
END_TEST

START_TEST(slices_of_the_type_that_the_user_named_are_no_fact_of_the_machine)
{
    ck_assert_uint_eq(count_of_machine("gpu.model=h100,gpu.sm=16", {16, 17}), 0);
}
END_TEST

START_TEST(what_the_machine_lacks_is_its_own_fact_with_slices_or_without)
{
    ck_assert_uint_ge(count_of_machine("gpu.model=b200,gpu.sm=16", {0, 1}), 1);
    ck_assert_uint_ge(count_of_machine("gpu.model=b200,gpu.sm=16", {}), 1);
}
END_TEST

START_TEST(the_plans_of_ended_steps_are_dropped_and_of_the_refused_ones_the_first_is_kept)
{
    const ProcessId alive = identify_process(::getpid()).value();
    const ProcessId gone{alive.pid, alive.start_time - 1};
    std::vector<StepRecord> steps = {step_of(0, gone), step_of(1, gone, true), step_of(2, gone, true),
                                     step_of(3, alive), step_of(4, {})};
    drop_ended_steps(steps);
    ck_assert_uint_eq(steps.size(), 3);
    ck_assert(steps[0].step_id == 1 && !steps[0].refusals.empty() && steps[0].plan.workers.empty());
    ck_assert(steps[1].step_id == 3 && steps[1].plan.workers.size() == 1);
    ck_assert(steps[2].step_id == 4);
}
END_TEST

START_TEST(a_step_knows_its_stepd_when_it_is_told)
{
    const std::string rest = R"("step":0,"uid":1,"tasks":1,"step_cores":"","job_cores":"","affinity":"")";
    ck_assert_int_eq(read_step_question("{\"job\":7," + rest + "}")->stepd.pid, 0);
    const std::string told = "{\"job\":7,\"stepd\":" + std::to_string(::getpid()) + "," + rest + "}";
    ck_assert(read_step_question(told)->stepd == identify_process(::getpid()).value());
}
END_TEST

START_TEST(a_job_is_not_locked_while_its_step_reads_the_machine)
{
    ScratchSite scratch;
    scratch.write_ledger(100);
    scratch.site.nvml_library = scratch.path + "/nvml"; // reading it lasts as long as this test wants
    ck_assert_int_eq(::mkfifo(scratch.site.nvml_library.c_str(), 0600), 0);
    StepQuestion question;
    question.job_id = 7;
    question.uid = ::getuid();
    std::thread step([&] { ck_assert(plan_step(question, scratch.site).has_value()); });
    Fd library = open_when_read(scratch.site.nvml_library);
    ck_assert_msg(static_cast<bool>(library), "the machine isn't read");
    const bool is_free = slicing::Ledger::open(scratch.jobs, 7, 1ms).has_value();
    library = Fd();
    step.join();
    ck_assert(is_free);
    ck_assert_uint_eq(contract::read_ledger(scratch.jobs, 7)->steps.size(), 1);
}
END_TEST

START_TEST(a_step_of_a_job_without_a_contract_leaves_no_file)
{
    ScratchSite scratch;
    StepQuestion question;
    question.job_id = 9;
    const auto planned = plan_step(question, scratch.site);
    ck_assert(planned && !*planned);
    ck_assert(!scratch.holds("9.lock"));
}
END_TEST

START_TEST(a_release_of_one_run_leaves_the_next_one_alone)
{
    ScratchSite scratch;
    scratch.write_ledger(500);
    ck_assert(release_job(7, contract::Run{0, 100}, scratch.site).has_value());
    ck_assert(release_job(7, contract::Run{1, 500}, scratch.site).has_value());
    ck_assert(release_job(7, contract::Run{}, scratch.site).has_value());
    ck_assert(scratch.holds("7.json"));
    ck_assert(release_job(7, contract::Run{0, 500}, scratch.site).has_value());
    ck_assert(!scratch.holds("7.json") && !scratch.holds("7.lock"));
}
END_TEST

START_TEST(what_has_no_record_and_what_has_a_torn_one_is_released)
{
    ScratchSite scratch;
    ck_assert(contract::write_refused_file(scratch.jobs, 7, {}).has_value());
    ck_assert(release_job(7, contract::Run{}, scratch.site).has_value());
    ck_assert(!scratch.holds("7.refused"));
    ck_assert(replace_file(scratch.jobs + "/7.json", "{\"half", 0600).has_value());
    ck_assert(release_job(7, contract::Run{0, 100}, scratch.site).has_value());
    ck_assert(!scratch.holds("7.json"));
}
END_TEST

Suite* acts_suite()
{
    Suite* suite = suite_create("acts");
    TCase* tests = tcase_create("acts");
    for (const TTest* test :
         {slices_that_lie_on_two_gpus_are_no_fact_of_the_machine,
          slices_of_the_type_that_the_user_named_are_no_fact_of_the_machine,
          what_the_machine_lacks_is_its_own_fact_with_slices_or_without,
          the_plans_of_ended_steps_are_dropped_and_of_the_refused_ones_the_first_is_kept,
          a_step_knows_its_stepd_when_it_is_told, a_job_is_not_locked_while_its_step_reads_the_machine,
          a_step_of_a_job_without_a_contract_leaves_no_file, a_release_of_one_run_leaves_the_next_one_alone,
          what_has_no_record_and_what_has_a_torn_one_is_released,
          the_slices_of_a_node_are_read_out_of_all_that_slurmctld_grants_there,
          what_is_kept_of_a_job_is_read_as_it_was_written, a_job_is_kept_until_it_lives_no_more,
          a_node_is_set_up_again_only_for_the_user_whose_job_was_here_and_once})
        tcase_add_test(tests, test);
    tcase_set_timeout(tests, 30);
    suite_add_tcase(suite, tests);
    return suite;
}
