#include "slicing/ledger.hpp"

#include "slicing/held_jobs.hpp"
#include "slicing/pool_record.hpp"

#include "tests/unit/slicing/suites.hpp"

using namespace mscale;
using namespace mscale::slicing;
using namespace std::chrono_literals;

namespace {

contract::LedgerRecord make_record(std::uint32_t job_id)
{
    contract::LedgerRecord record;
    record.job_id = job_id;
    record.uid = 1000;
    record.contract = "role.loader.cores=1";
    record.acts = {{"mount", 2 << 20, 64, 0, "/run/mscale/huge/7/2048kB"}};
    return record;
}

} // namespace

START_TEST(a_record_is_read_as_it_was_written)
{
    const Scratch state;
    const auto ledger = Ledger::open(state.path("/jobs"), 7, 60s);
    ck_assert(ledger.has_value());
    ck_assert(ledger->read().error().code == Code::no_such_job);
    ck_assert(ledger->write(make_record(7)).has_value());
    const auto record = ledger->read();
    ck_assert(record.has_value());
    ck_assert(record->acts == make_record(7).acts && record->uid == 1000);
}
END_TEST

START_TEST(two_holders_of_one_job_are_never_at_once)
{
    const Scratch state;
    const auto first = Ledger::open(state.path(), 7, 60s);
    const auto same = Ledger::open(state.path(), 7, 1ms);
    ck_assert(first.has_value());
    ck_assert(!same && same.error().code == Code::deadline);
    ck_assert(Ledger::open(state.path(), 8, 1ms).has_value());
}
END_TEST

START_TEST(a_removed_record_leaves_no_file)
{
    const Scratch state;
    {
        const auto ledger = Ledger::open(state.path("/jobs"), 7, 60s);
        ck_assert(ledger->write(make_record(7)).has_value());
        state.write("/jobs/7.tasks", "0 0 - 1 1 0\n");
        state.write("/jobs/7.refused", "[]");
        state.write("/jobs/7.json.abc123", "{"); // of a writer that was killed
        state.write("/jobs/77.json", "{}");
        ck_assert(ledger->remove().has_value());
        ck_assert(ledger->remove().has_value());
    }
    ck_assert(Root(state.path()).list("/jobs").value() == std::vector<std::string>{"77.json"});
}
END_TEST

START_TEST(who_waited_for_a_removed_lock_opens_it_anew)
{
    const Scratch state;
    auto first = Ledger::open(state.path(), 7, 60s);
    ck_assert(first->remove().has_value());
    const auto second =
        Ledger::open(state.path(), 7, 1ms); // another file: the first one guards nothing any more
    ck_assert(second.has_value());
    ck_assert(!Ledger::open(state.path(), 7, 1ms));
}
END_TEST

START_TEST(a_record_that_could_not_be_read_again_is_not_written)
{
    const Scratch state;
    const auto ledger = Ledger::open(state.path(), 7, 60s);
    ck_assert(ledger->write(make_record(7)).has_value());
    contract::LedgerRecord large = make_record(7);
    large.contract.resize(contract::ledger_limit, 'x');
    const auto written = ledger->write(large);
    ck_assert(!written && written.error().code == Code::ledger);
    ck_assert(ledger->read().has_value());
}
END_TEST

START_TEST(whatever_a_crash_left_of_a_job_names_it)
{
    const Scratch state;
    ck_assert(list_held_jobs(state.path()).empty());
    state.write("/jobs/7.tasks", "");
    state.write("/jobs/8.lock", "");
    state.write("/huge/9/2048kB/x", "");
    ck_assert(write_pools(state.path("/hugepages.json"), {{0, 2 << 20, 0, 4, 4, {{10, 4, 4}}}}).has_value());
    ck_assert((list_held_jobs(state.path()) == std::set<std::uint32_t>{7, 8, 9, 10}));
    ck_assert(!has_pages_to_settle(state.path()));
    ck_assert(write_pools(state.path("/hugepages.json"), {{0, 2 << 20, 0, 4, 4, {}}}).has_value());
    ck_assert(has_pages_to_settle(state.path()));
}
END_TEST

Suite* ledger_suite()
{
    return make_suite("ledger", a_record_is_read_as_it_was_written, two_holders_of_one_job_are_never_at_once,
                      a_removed_record_leaves_no_file, who_waited_for_a_removed_lock_opens_it_anew,
                      a_record_that_could_not_be_read_again_is_not_written,
                      whatever_a_crash_left_of_a_job_names_it);
}
