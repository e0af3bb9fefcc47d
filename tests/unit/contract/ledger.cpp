#include "contract/ledger.hpp"

#include <cstdlib>
#include <filesystem>

#include "base/files.hpp"
#include "base/json.hpp"
#include "tests/unit/contract/suites.hpp"

using namespace mscale;
using namespace mscale::contract;

namespace {

/// A directory of its own for one test, removed after it.
struct Directory {
    std::string path;
    Directory()
    {
        char name[] = "/tmp/mscale-ledger-XXXXXX";
        path = ::mkdtemp(name);
    }
    ~Directory() { std::filesystem::remove_all(path); }
};

LedgerRecord full_record()
{
    LedgerRecord record;
    record.notice = {120, 30};
    record.job_id = 17;
    record.restart_count = 2;
    record.uid = 1000;
    record.gid = 100;
    record.started = 1'796'000'000;
    record.stage = Stage::applied;
    record.contract = "role.loader.cores=1";
    record.nodes = {"n1", "n2"};
    record.sm_slices = {4, 5};
    record.plan.pages = {{2 << 20, 64, 0}};
    record.refusals = {{Code::too_few_cores, "role.loader.cores", "9", "there are 2", "ask for 2"}};
    record.acts = {{"mount", 2 << 20, 64, 0, "/run/mscale/huge/17/2048kB"}};
    StepRecord step;
    step.step_id = 4294967291;
    step.cpus = CpuSet({0, 1});
    record.steps = {step};
    return record;
}

} // namespace

START_TEST(a_record_reads_back_whole)
{
    const LedgerRecord record = full_record();
    const auto again = ledger_from_json(to_json(record), "17.json");
    ck_assert_msg(again.has_value(), "%s", again ? "" : again.error().text.c_str());
    ck_assert(to_json(*again) == to_json(record));
    ck_assert(again->notice == record.notice);
    ck_assert(again->acts == record.acts && again->steps == record.steps && again->stage == Stage::applied);
}
END_TEST

START_TEST(a_damaged_record_is_an_error_that_names_it)
{
    Json json = to_json(full_record());
    json["stage"] = "half";
    const auto wrong_stage = ledger_from_json(json, "17.json");
    ck_assert(!wrong_stage && wrong_stage.error().text.find("17.json") != std::string::npos);
    json.erase("acts");
    const auto missing = ledger_from_json(json, "17.json");
    ck_assert(!missing && missing.error().code == Code::ledger);
}
END_TEST

START_TEST(only_records_are_listed)
{
    const Directory directory;
    for (const char* name : {"10.json", "9.json", "9.tasks", "x.json", "9.lock", "-1.json", "99999999999.json"})
        ck_assert(replace_file(directory.path + "/" + name, "{}", 0600).has_value());
    const auto jobs = list_ledgers(directory.path);
    ck_assert(jobs && *jobs == (std::vector<std::uint32_t>{9, 10}));
    ck_assert(list_ledgers(directory.path + "/none")->empty());
}
END_TEST

START_TEST(a_job_without_a_record_is_no_error_of_the_node)
{
    const Directory directory;
    const auto record = read_ledger(directory.path, 3);
    ck_assert(!record && record.error().code == Code::no_such_job);
}
END_TEST

START_TEST(task_lines_read_back_and_a_torn_last_one_is_left_out)
{
    const Directory directory;
    const TaskRecord task{0, 1, "", {4711, 99}, CpuSet({0, 1})}, role{0, 1, "image_loader", {4712, 100}, CpuSet({1})};
    const std::string path = directory.path + "/5.tasks";
    ck_assert(append_line(path, to_line(task), 0600).has_value());
    ck_assert(append_line(path, to_line(role), 0600).has_value());
    const auto whole = read_file(path).value();
    ck_assert(replace_file(path, whole + "0 1 - 4713 10", 0600).has_value());
    const auto tasks = read_tasks(directory.path, 5);
    ck_assert(tasks && *tasks == (std::vector<TaskRecord>{task, role}));
    ck_assert(read_tasks(directory.path, 6)->empty());
}
END_TEST

Suite* ledger_suite()
{
    return make_suite("ledger", a_record_reads_back_whole, a_damaged_record_is_an_error_that_names_it,
                      only_records_are_listed, a_job_without_a_record_is_no_error_of_the_node,
                      task_lines_read_back_and_a_torn_last_one_is_left_out);
}
