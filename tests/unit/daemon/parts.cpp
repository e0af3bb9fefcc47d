// A node lives on without one of its parts: which parts a job has, when one is gone for certain, and what follows.
#include "base/json.hpp"
#include "daemon/mscaled/part_book.hpp"
#include "daemon/mscaled/watch.hpp"
#include "tests/unit/daemon/suites.hpp"
#include "tests/unit/hal/tree.hpp"

using namespace mscale;
using namespace mscale::daemon;
using std::chrono::milliseconds;

namespace {

constexpr std::uint32_t batch_step = 0xfffffffb;
const Part rail{PartKind::port, "mlx5_0:1", "rdma.port"}, other_rail{PartKind::port, "mlx5_1:1", "rdma.port"};
const Part loader_drive{PartKind::disk, "nvme0n1 (S1)", "role.loader.disk"};

const Part worker_gpu{PartKind::gpu, "0000:1b:00.0", "gpu"};

contract::Plan plan_with(const std::string& disk)
{
    contract::RolePlan role;
    role.name = "loader";
    role.disk = disk;
    contract::WorkerPlan worker;
    worker.roles = {role};
    contract::Plan plan;
    plan.workers = {worker};
    return plan;
}

contract::StepRecord step_with(std::uint32_t id, const std::string& disk, pid_t stepd)
{
    return {id, {}, plan_with(disk), {}, {stepd, 1}};
}

/// The only process that lives is 10.
bool is_ten(const ProcessId& process)
{
    return process.pid == 10;
}

std::string names_of(const contract::LedgerRecord& record)
{
    std::string names;
    for (const Part& part : list_parts(record, is_ten)) names += part.name + " ";
    return names;
}

} // namespace

START_TEST(a_job_has_the_ports_of_its_node_and_the_drives_and_the_stepd_of_its_newest_step)
{
    contract::LedgerRecord record;
    record.job_id = 7;
    record.plan = plan_with("nvme9n1");
    record.plan.ports = {"mlx5_0:1", "mlx5_1:1"};
    expect_text(names_of(record), "mlx5_0:1 mlx5_1:1 "); // a spare
    record.steps = {step_with(batch_step, "nvme0n1 (S1)", 10)};
    expect_text(names_of(record), "mlx5_0:1 mlx5_1:1 nvme0n1 (S1) ");
    record.steps.push_back(step_with(0, "nvme5n1", 9));
    expect_text(names_of(record), "mlx5_0:1 mlx5_1:1 nvme5n1 7.0 ");
    record.steps.push_back(step_with(1, "nvme1n1 (S2)", 10));
    expect_text(names_of(record), "mlx5_0:1 mlx5_1:1 nvme1n1 (S2) 7.1 ");
}
END_TEST

START_TEST(a_drive_of_several_workers_is_one_part)
{
    contract::LedgerRecord record;
    record.steps = {step_with(0, "nvme0n1 (S1)", 0)};
    auto& workers = record.steps.front().plan.workers;
    workers.push_back(workers.front());
    ck_assert(list_parts(record, is_ten) == std::vector<Part>{loader_drive});
    workers.front().gpu_pci = worker_gpu.name;
    ck_assert((list_parts(record, is_ten) == std::vector<Part>{worker_gpu, loader_drive}));
}
END_TEST

START_TEST(the_kernel_s_word_on_each_part_is_read)
{
    const Tree tree;
    tree.file("/sys/class/infiniband/mlx5_0/ports/1/state", "1: DOWN\n");
    tree.file("/sys/block/nvme0n1/device/serial", "S1\n");
    const Part gone{PartKind::disk, "nvme1n1 (S2)", "role.a.disk"};
    const auto found = read_parts(tree.root(), {rail, other_rail, loader_drive, gone, worker_gpu}, {{worker_gpu.name, "Xid 79"}});
    const std::vector<PartFinding> wanted = {
        {rail, "DOWN"}, {other_rail, "absent"}, {loader_drive, ""}, {gone, "absent"}, {worker_gpu, "Xid 79", true}};
    ck_assert(found == wanted);
}
END_TEST

START_TEST(a_part_is_gone_when_two_looks_in_a_row_say_so)
{
    PartBook book;
    ck_assert(!book.look({{rail, ""}}, milliseconds(1000)).confirm);
    const auto first = book.look({{rail, "DOWN"}}, milliseconds(3000));
    ck_assert(first.confirm && first.gone.empty());
    ck_assert(!book.look({{rail, ""}}, milliseconds(3500)).confirm);
    ck_assert(book.look({{rail, "DOWN"}}, milliseconds(5500)).gone.empty());
    const auto second = book.look({{rail, "DOWN"}}, milliseconds(6000));
    ck_assert(!second.confirm && (second.gone == std::vector<PartFinding>{{rail, "DOWN"}}));
    const LostPart* lost = book.decide(second.gone.front(), "mlx5_1:1", milliseconds(6001), 3U);
    ck_assert(lost && (*lost == LostPart{rail, "DOWN", "mlx5_1:1", WayBack::reroute, milliseconds(3500), milliseconds(6001), 3U}));
    ck_assert(book.look({{rail, "DOWN"}}, milliseconds(8000)).gone.empty());
}
END_TEST

START_TEST(a_port_that_stood_in_for_another_hands_both_on)
{
    PartBook book;
    book.look({{rail, "DOWN"}, {other_rail, ""}}, milliseconds(1));
    const auto first = book.look({{rail, "DOWN"}, {other_rail, "DOWN"}}, milliseconds(2)).gone;
    book.decide(first.front(), "mlx5_1:1", milliseconds(2));
    const auto second = book.look({{rail, "DOWN"}, {other_rail, "DOWN"}}, milliseconds(3)).gone;
    book.decide(second.front(), "TCP", milliseconds(3));
    ck_assert(book.lost().size() == 2 && book.lost().front().other == "TCP" && book.lost().back().other == "TCP");
}
END_TEST

START_TEST(the_driver_s_word_on_a_gpu_is_certain_at_once)
{
    PartBook book;
    ck_assert(book.look({{worker_gpu, ""}}, milliseconds(1)).gone.empty());
    const auto seen = book.look({{worker_gpu, "Xid 79", true}}, milliseconds(2));
    ck_assert(!seen.confirm && seen.gone.size() == 1);
}
END_TEST

START_TEST(a_part_that_the_job_has_no_more_is_mended_and_no_decision_on_it_counts)
{
    PartBook book;
    book.look({{loader_drive, "absent"}}, milliseconds(1));
    const auto gone = book.look({{loader_drive, "absent"}}, milliseconds(2)).gone;
    ck_assert(!book.look({}, milliseconds(3)).mended);
    ck_assert(!book.decide(gone.front(), "", milliseconds(4)));
    book.look({{loader_drive, "absent"}}, milliseconds(5));
    book.look({{loader_drive, "absent"}}, milliseconds(6));
    ck_assert(book.decide(gone.front(), "nvme1n1", milliseconds(7)) && book.lost().size() == 1);
    ck_assert(book.look({}, milliseconds(8)).mended && book.lost().empty());
}
END_TEST

START_TEST(each_kind_of_part_has_its_own_way_back)
{
    ck_assert(choose_way_back(PartKind::port, "TCP") == WayBack::reroute);
    ck_assert(choose_way_back(PartKind::disk, "nvme1n1") == WayBack::relaunch);
    ck_assert(choose_way_back(PartKind::disk, "") == WayBack::breach);
    ck_assert(choose_way_back(PartKind::gpu, "0000:9b:00.0") == WayBack::relaunch);
    ck_assert(choose_way_back(PartKind::gpu, "") == WayBack::leave);
    ck_assert(choose_way_back(PartKind::stepd, "a new step") == WayBack::relaunch);
}
END_TEST

START_TEST(another_port_of_the_contract_carries_the_data_else_tcp)
{
    expect_text(choose_carrier({{rail, "DOWN"}, {loader_drive, ""}, {other_rail, ""}}), "mlx5_1:1");
    expect_text(choose_carrier({{rail, "DOWN"}, {loader_drive, ""}, {other_rail, "DOWN"}}), "TCP");
}
END_TEST

START_TEST(a_loss_is_past_once_a_later_step_trains_but_a_port_stays_lost)
{
    LostPart lost{loader_drive, "absent", "nvme1n1", WayBack::relaunch, {}, {}, 3U};
    ck_assert(!is_past(lost, 3) && is_past(lost, 4));
    lost.way = WayBack::reroute;
    ck_assert(!is_past(lost, 4));
    lost = {loader_drive, "absent", "", WayBack::breach, {}, {}, {}};
    ck_assert(!is_past(lost, 4));
}
END_TEST

START_TEST(a_loss_survives_its_json_and_a_foreign_one_is_an_error)
{
    const LostPart lost{loader_drive, "absent", "nvme1n1 (S2)", WayBack::relaunch, milliseconds(1), milliseconds(2), 3U};
    ck_assert(lost_part_from_json(to_json(lost), "a loss").value() == lost);
    expect_text(describe(lost), "drive nvme0n1 (S1) is absent, nvme1n1 (S2) takes its place");
    for (const char* key : {"kind", "way"}) {
        Json json = to_json(lost);
        json[key] = "another";
        ck_assert(!lost_part_from_json(json, "a loss"));
    }
    ck_assert(!lost_part_from_json(Json::array(), "a loss"));
}
END_TEST

Suite* parts_suite()
{
    return make_suite("parts", a_job_has_the_ports_of_its_node_and_the_drives_and_the_stepd_of_its_newest_step,
                      a_drive_of_several_workers_is_one_part, the_kernel_s_word_on_each_part_is_read,
                      a_part_is_gone_when_two_looks_in_a_row_say_so,
                      a_port_that_stood_in_for_another_hands_both_on, the_driver_s_word_on_a_gpu_is_certain_at_once,
                      a_part_that_the_job_has_no_more_is_mended_and_no_decision_on_it_counts,
                      each_kind_of_part_has_its_own_way_back, another_port_of_the_contract_carries_the_data_else_tcp,
                      a_loss_is_past_once_a_later_step_trains_but_a_port_stays_lost,
                      a_loss_survives_its_json_and_a_foreign_one_is_an_error);
}
