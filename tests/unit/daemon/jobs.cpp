#include "daemon/mscaled/jobs.hpp"

#include <filesystem>
#include <fstream>

#include "base/json.hpp"
#include "daemon/mscaled/reconcile.hpp"
#include "tests/unit/daemon/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;
using contract::Stage;

namespace {

/// The ledgers of one node.
class Ledgers {
public:
    Ledgers()
    {
        path_ = (std::filesystem::temp_directory_path() / "mscale-jobs.XXXXXX").native();
        ck_assert_ptr_nonnull(mkdtemp(path_.data()));
        site.state = path_;
        site.mode = contract::Mode::enforce;
        std::filesystem::create_directories(path_ + "/jobs");
        record.job_id = 7;
        record.started = 100;
        record.stage = Stage::applied;
        record.contract = "role.loader.cores=1";
    }
    Ledgers(const Ledgers&) = delete;
    Ledgers& operator=(const Ledgers&) = delete;
    ~Ledgers() { std::filesystem::remove_all(path_); }

    void write(const std::string& name, const std::string& text) const
    {
        std::ofstream(path_ + "/jobs/" + name) << text;
    }
    void write_record() const { write("7.json", to_json(record).dump()); }

    contract::Site site;
    contract::LedgerRecord record;

private:
    std::string path_;
};

bool is_changed(const Jobs::Changes& changes)
{
    return changes.changed == std::vector<std::uint32_t>{7};
}

} // namespace

START_TEST(a_step_that_is_refused_changes_the_job)
{
    Ledgers ledgers;
    ledgers.write_record();
    Jobs jobs(ledgers.site);
    ck_assert(is_changed(jobs.refresh()));
    ck_assert(jobs.refresh().changed.empty());
    ledgers.record.steps = {{0, {}, {}, {{Code::too_few_cores, "role.loader.cores", "1", "none", ""}}}};
    ledgers.write_record();
    ck_assert(is_changed(jobs.refresh()));
    ck_assert(jobs.refresh().changed.empty());
}
END_TEST

START_TEST(a_ledger_that_stays_unreadable_refuses_its_contract_until_it_is_mended)
{
    Ledgers ledgers;
    ledgers.write_record();
    Jobs jobs(ledgers.site);
    jobs.refresh();
    ledgers.write("7.json", "{\"half");
    ck_assert(jobs.refresh().changed.empty());
    ck_assert(is_changed(jobs.refresh()));
    const LocalJob* job = jobs.find(7);
    ck_assert(job->record.stage == Stage::refused && job->record.refusals.front().code == Code::ledger);
    ck_assert((job->run == contract::Run{0, 100}));
    ledgers.write_record();
    ck_assert(is_changed(jobs.refresh()));
    ck_assert(jobs.find(7)->record.stage == Stage::applied);
}
END_TEST

START_TEST(an_unreadable_ledger_that_was_never_read_is_a_job_of_no_known_run)
{
    Ledgers ledgers;
    ledgers.write("7.json", "{\"half");
    Jobs jobs(ledgers.site);
    jobs.refresh();
    ck_assert(!jobs.find(7));
    ck_assert(is_changed(jobs.refresh()));
    ck_assert(jobs.find(7)->run == contract::Run{});
}
END_TEST

START_TEST(unreadable_tasks_are_no_reason_to_watch_nothing_in_silence)
{
    Ledgers ledgers;
    ledgers.write_record();
    std::filesystem::create_directories(contract::ledger_directory(ledgers.site.state) + "/7.tasks");
    Jobs jobs(ledgers.site);
    jobs.refresh();
    jobs.refresh();
    ck_assert(jobs.find(7) && jobs.find(7)->record.stage == Stage::refused);
}
END_TEST

START_TEST(a_release_names_the_run_that_is_over)
{
    const auto command = release_command("/sbin/mscale-node", "/etc/c", {7, {2, 100}});
    ck_assert((command == std::vector<std::string>{"/sbin/mscale-node", "--config", "/etc/c", "release",
                                                   "--job", "7", "--started", "100", "--restarts", "2"}));
}
END_TEST

Suite* jobs_suite()
{
    return make_suite("jobs", a_step_that_is_refused_changes_the_job,
                      a_ledger_that_stays_unreadable_refuses_its_contract_until_it_is_mended,
                      an_unreadable_ledger_that_was_never_read_is_a_job_of_no_known_run,
                      unreadable_tasks_are_no_reason_to_watch_nothing_in_silence,
                      a_release_names_the_run_that_is_over);
}
