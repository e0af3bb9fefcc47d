#include "daemon/mscaled/role_process.hpp"

#include <map>

#include "tests/unit/daemon/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;

namespace {

/// A small /proc: init 1 - stepd 10 - task 20 (recorded) - shell 30 - loader 40; stranger 50 under init.
struct Processes {
    std::map<pid_t, pid_t> parents{{10, 1}, {20, 10}, {30, 20}, {40, 30}, {50, 1}};
    std::map<pid_t, uid_t> owners{{1, 0}, {10, 0}, {20, 1000}, {30, 1000}, {40, 1000}, {50, 1000}};
    std::map<pid_t, CpuSet> cpus{{40, CpuSet({2, 3})}};

    ProcessReader reader() const
    {
        ProcessReader reader;
        reader.identify = [this](pid_t pid) -> Result<ProcessId> {
            if (!owners.contains(pid)) return failure(Code::node_act, "gone");
            return ProcessId{pid, 7};
        };
        reader.parent = [this](pid_t pid) -> std::optional<pid_t> {
            const auto found = parents.find(pid);
            return found == parents.end() ? std::nullopt : std::optional(found->second);
        };
        reader.owner = [this](pid_t pid) -> std::optional<uid_t> { return owners.at(pid); };
        reader.affinity = [this](pid_t pid) -> Result<CpuSet> {
            return cpus.contains(pid) ? cpus.at(pid) : CpuSet({0});
        };
        return reader;
    }
};

std::vector<JobPlaces> job_of_uid(uid_t uid)
{
    contract::StepRecord step;
    step.step_id = 0;
    for (const CpuSet& cpus : {CpuSet({0, 1}), CpuSet({2, 3})}) {
        contract::WorkerPlan worker;
        worker.roles.push_back({"loader", cpus, {}, {}, {}, {}, {}});
        step.plan.workers.push_back(worker);
    }
    return {{12, uid, contract::Stage::applied, {step}, {{0, 1, "", {20, 7}, CpuSet({0, 1, 2, 3})}}}};
}

Code refusal_of(const Asker& asker, pid_t pid, const std::string& role, const std::vector<JobPlaces>& jobs,
                const Processes& processes = {})
{
    const auto made = make_role_record(asker, pid, role, jobs, processes.reader());
    ck_assert(!made);
    return made.error().code;
}

const Asker owner{1000, 40};

/// Jobs whose task is in the record only after it has been read again.
struct Records {
    std::vector<JobPlaces> jobs = job_of_uid(1000);
    std::vector<uid_t> reread;
    explicit Records(bool fresh)
    {
        if (!fresh) jobs.front().tasks.clear();
    }
    Result<std::uint32_t> find(const Asker& asker, pid_t pid)
    {
        const Processes processes;
        const auto read = [this](uid_t uid) {
            reread.push_back(uid);
            jobs = job_of_uid(1000);
        };
        return find_own_job(asker, pid, {[this] { return jobs; }, read}, processes.reader());
    }
};

} // namespace

START_TEST(a_bound_descendant_of_a_task_is_recorded_with_its_workers_cpus)
{
    const auto made = make_role_record(owner, 40, "loader", job_of_uid(1000), Processes{}.reader());
    ck_assert_msg(made.has_value(), "%s", made ? "" : made.error().text.c_str());
    ck_assert_uint_eq(made->first, 12);
    ck_assert(made->second == (contract::TaskRecord{0, 1, "loader", {40, 7}, CpuSet({2, 3})}));
}
END_TEST

START_TEST(a_process_outside_the_job_is_not_taken)
{
    ck_assert(refusal_of(owner, 50, "loader", job_of_uid(1000)) == Code::no_such_job);
}
END_TEST

START_TEST(a_later_process_with_the_number_of_a_task_proves_nothing)
{
    auto jobs = job_of_uid(1000);
    jobs.front().tasks.front().process.start_time = 6;
    ck_assert(refusal_of(owner, 40, "loader", jobs) == Code::no_such_job);
}
END_TEST

START_TEST(nobody_registers_processes_of_another_user)
{
    ck_assert(refusal_of({1001, 60}, 40, "loader", job_of_uid(1000)) == Code::not_yours);
    ck_assert(refusal_of({1001, 60}, 40, "loader", job_of_uid(1001)) == Code::not_yours);
}
END_TEST

START_TEST(a_role_that_the_contract_lacks_is_refused)
{
    ck_assert(refusal_of(owner, 40, "patcher", job_of_uid(1000)) == Code::not_yours);
}
END_TEST

START_TEST(a_process_that_is_not_bound_to_its_role_is_refused)
{
    Processes processes;
    processes.cpus[40] = CpuSet({1, 2});
    ck_assert(refusal_of(owner, 40, "loader", job_of_uid(1000), processes) == Code::apply_cores);
}
END_TEST

START_TEST(a_process_is_registered_once)
{
    auto jobs = job_of_uid(1000);
    jobs.front().tasks.push_back({0, 1, "loader", {40, 7}, CpuSet({2, 3})});
    ck_assert(refusal_of(owner, 40, "loader", jobs) == Code::not_yours);
    jobs.front().tasks.back().process.start_time = 6; // an earlier process with its number
    ck_assert(make_role_record(owner, 40, "loader", jobs, Processes{}.reader()).has_value());
}
END_TEST

START_TEST(a_job_registers_no_more_processes_than_its_file_can_hold)
{
    auto jobs = job_of_uid(1000);
    jobs.front().tasks.resize(100000, {0, 1, "loader", {41, 7}, CpuSet({2, 3})});
    jobs.front().tasks.push_back({0, 1, "", {20, 7}, CpuSet({0, 1, 2, 3})});
    ck_assert(refusal_of(owner, 40, "loader", jobs) == Code::not_yours);
}
END_TEST

START_TEST(a_known_descent_is_found_without_reading_a_ledger)
{
    Records records(true);
    ck_assert(records.find(owner, 40) == 12u && records.reread.empty());
    ck_assert(records.find({1001, 60}, 40).error().code == Code::not_yours && records.reread.empty());
}
END_TEST

START_TEST(a_task_of_a_moment_ago_is_found_by_reading_the_jobs_of_the_asker_alone)
{
    Records records(false);
    ck_assert(records.find({1001, 60}, 40).error().code == Code::no_such_job && records.reread.empty());
    ck_assert(records.find(owner, 1).error().code == Code::no_such_job && records.reread.empty());
    ck_assert(records.find(owner, 40) == 12u);
    ck_assert(records.reread == std::vector<uid_t>{1000});
}
END_TEST

Suite* role_process_suite()
{
    return make_suite("role_process", a_bound_descendant_of_a_task_is_recorded_with_its_workers_cpus,
                      a_process_outside_the_job_is_not_taken,
                      a_later_process_with_the_number_of_a_task_proves_nothing,
                      nobody_registers_processes_of_another_user, a_role_that_the_contract_lacks_is_refused,
                      a_process_that_is_not_bound_to_its_role_is_refused, a_process_is_registered_once,
                      a_job_registers_no_more_processes_than_its_file_can_hold,
                      a_known_descent_is_found_without_reading_a_ledger,
                      a_task_of_a_moment_ago_is_found_by_reading_the_jobs_of_the_asker_alone);
}
