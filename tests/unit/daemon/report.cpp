#include "daemon/mscaled/report.hpp"

#include "base/json.hpp"
#include "tests/unit/daemon/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;

namespace {

Report full_report()
{
    contract::LedgerRecord record;
    record.job_id = 12;
    record.uid = 1000;
    record.restart_count = 2;
    record.started = 1700000000;
    record.nodes = {"n1", "n2"};
    record.stage = contract::Stage::refused;
    record.refusals = {{Code::apply_cores, "role.a.cores", "2", "busy", "wait"}};
    record.plan.unenforced = {"gpu.sm"};
    record.plan.chunks = 4;
    Report report = make_report(record, "n2", Breach{{{"pid", "7"}}}, contract::OnBreach::requeue);
    const std::chrono::milliseconds whole(1000), known(3500);
    report.lost = {{{PartKind::port, "mlx5_0:1", "rdma.port"}, "DOWN", "TCP", WayBack::reroute, whole, known},
                   {{PartKind::disk, "nvme0n1 (S1)", "role.a.disk"}, "absent", "", WayBack::breach, whole, known}};
    return report;
}

} // namespace

START_TEST(a_report_survives_its_json)
{
    const Report report = full_report();
    const auto read = report_from_json(to_json(report), "a report");
    ck_assert_msg(read.has_value(), "%s", read ? "" : read.error().text.c_str());
    ck_assert(*read == report);
}
END_TEST

START_TEST(the_refusal_of_a_step_is_reported_with_its_step)
{
    contract::LedgerRecord record;
    record.stage = contract::Stage::applied;
    record.steps = {{0, {}, {}, {}},
                    {5, {}, {}, {{Code::too_few_cores, "role.a.cores", "4", "1 granted", ""}}}};
    const Report report = make_report(record, "n1", {}, contract::OnBreach::fail);
    expect_text(report.refused_step, "5");
    ck_assert_uint_eq(report.refusals.size(), 1);
    record.observe = true;
    ck_assert(make_report(record, "n1", {}, contract::OnBreach::fail).refusals.empty());
}
END_TEST

START_TEST(a_report_without_a_member_or_with_another_kind_is_an_error)
{
    const Json whole = to_json(full_report()); // outlives the loop's range, which only refers to it
    for (const auto& [key, value] : whole.items()) {
        if (key == "breach") continue;
        Json json = to_json(full_report());
        json.erase(key);
        ck_assert_msg(!report_from_json(json, "a report"), "passes without %s", key.c_str());
        json[key] = Json::object({{"another", "kind"}});
        ck_assert_msg(!report_from_json(json, "a report"), "passes with another kind of %s", key.c_str());
    }
}
END_TEST

START_TEST(a_report_with_very_many_refusals_still_fits_a_message)
{
    contract::LedgerRecord record;
    record.refusals.resize(5000);
    ck_assert_uint_eq(make_report(record, "n1", {}, contract::OnBreach::fail).refusals.size(), 16);
}
END_TEST

Suite* report_suite()
{
    return make_suite("report", a_report_survives_its_json, the_refusal_of_a_step_is_reported_with_its_step,
                      a_report_without_a_member_or_with_another_kind_is_an_error,
                      a_report_with_very_many_refusals_still_fits_a_message);
}
