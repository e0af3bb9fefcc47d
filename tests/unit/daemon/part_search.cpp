// What satisfies the clause of a drive that is gone, on the rest of the machine.
#include "daemon/mscaled/part_search.hpp"

#include "contract/parse.hpp"
#include "tests/unit/daemon/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;

namespace {

hal::Disk disk_of(const std::string& name, const std::string& serial, unsigned depth)
{
    hal::Disk disk;
    disk.name = name;
    disk.kind = name.starts_with("nvme") ? "nvme" : "other";
    disk.serial = serial;
    disk.nr_requests = depth;
    return disk;
}

/// Two cores, three drives.
hal::Machine machine()
{
    hal::Machine machine;
    machine.online = CpuSet({0, 1});
    machine.numa.push_back({});
    machine.numa.front().cpus = machine.online;
    for (const unsigned cpu : {0U, 1U}) machine.cores.push_back({cpu, 0, 0U, false, CpuSet({cpu})});
    machine.disks = {disk_of("nvme0n1", "S1", 1023), disk_of("nvme1n1", "S2", 63), disk_of("vda", "", 256)};
    return machine;
}

hal::Gpu gpu_of(unsigned index)
{
    hal::Gpu gpu;
    gpu.index = index;
    gpu.pci = {index, 0x1b, 0, 0};
    gpu.model = "NVIDIA H100 80GB HBM3";
    gpu.sms = 132;
    gpu.sm_chunk = 8;
    return gpu;
}

/// What takes the place of GPU 0, of which a step had `clauses`, on a machine with three of them.
std::string other_gpu_for(const std::string& clauses, const std::vector<std::string>& lost_before,
                          const std::vector<unsigned>& slices = {})
{
    hal::Machine whole = machine();
    whole.gpus = {gpu_of(0), gpu_of(1), gpu_of(2)};
    const auto parsed = contract::parse_contract(clauses, "test", contract::LoadedProfiles());
    ck_assert(parsed.ok());
    contract::LedgerRecord record;
    record.lost_gpus = lost_before;
    record.sm_slices = slices;
    contract::WorkerPlan worker;
    worker.gpu_pci = "0000:1b:00.0";
    record.steps = {{0, CpuSet({0}), {}, {}, {}}};
    record.steps.front().plan.workers = {worker};
    return find_other(record, parsed.contract, {PartKind::gpu, worker.gpu_pci, "gpu"}, whole, {});
}

/// What takes the place of nvme0n1, of which the role "loader" of step 0 had `clauses`.
std::string other_for(const std::string& clauses)
{
    const auto parsed =
        contract::parse_contract(clauses, "test", contract::LoadedProfiles());
    ck_assert(parsed.ok());
    contract::LedgerRecord record;
    contract::RolePlan role;
    role.name = "loader";
    role.disk = "nvme0n1 (S1)";
    contract::WorkerPlan worker;
    worker.roles = {role};
    record.steps = {{0, CpuSet({0}), {}, {}, {}}};
    record.steps.front().plan.workers = {worker};
    return find_other(record, parsed.contract, {PartKind::disk, role.disk, "role.loader.disk"}, machine(), {});
}

} // namespace

START_TEST(another_drive_that_satisfies_the_clause_is_found)
{
    expect_text(other_for("role.loader.disk=nvme"), "nvme1n1 (S2)");
    expect_text(other_for("role.loader.disk=any,role.loader.io_depth=128"), "vda");
}
END_TEST

START_TEST(what_the_clause_names_or_asks_is_not_replaced_by_less)
{
    expect_text(other_for("role.loader.disk=nvme0n1"), "");
    expect_text(other_for("role.loader.disk=nvme,role.loader.io_depth=128"), "");
}
END_TEST

START_TEST(pages_that_the_job_holds_itself_stand_in_no_way)
{
    expect_text(other_for("role.loader.disk=nvme,role.loader.hugepages=2MiB*64"), "nvme1n1 (S2)");
}
END_TEST

START_TEST(cores_that_slurm_did_not_grant_are_not_counted_on)
{
    expect_text(other_for("role.loader.disk=nvme,role.loader.cores=1"), "nvme1n1 (S2)");
    expect_text(other_for("role.loader.disk=nvme,role.loader.cores=2"), "");
}
END_TEST

START_TEST(another_gpu_that_the_job_may_have_is_found_and_none_that_failed_before)
{
    expect_text(other_gpu_for("gpu.model=h100", {}), "0001:1b:00.0");
    expect_text(other_gpu_for("gpu.model=h100", {"0001:1b:00.0"}), "0002:1b:00.0");
    expect_text(other_gpu_for("gpu.model=h100", {"0001:1b:00.0", "0002:1b:00.0"}), "");
    expect_text(other_gpu_for("role.a.gpu=0,gpu.model=h100", {}), "");
}
END_TEST

START_TEST(a_gpu_of_which_the_job_holds_no_slice_is_not_its_to_take)
{
    const std::vector<unsigned> of_first = {0, 1, 2, 3}, of_both = {0, 1, 2, 3, 16, 17, 18, 19};
    expect_text(other_gpu_for("gpu.sm=32", {}, of_first), "");
    expect_text(other_gpu_for("gpu.sm=32", {}, of_both), "0001:1b:00.0");
}
END_TEST

Suite* part_search_suite()
{
    return make_suite("part_search", another_drive_that_satisfies_the_clause_is_found,
                      what_the_clause_names_or_asks_is_not_replaced_by_less,
                      pages_that_the_job_holds_itself_stand_in_no_way,
                      cores_that_slurm_did_not_grant_are_not_counted_on,
                      another_gpu_that_the_job_may_have_is_found_and_none_that_failed_before,
                      a_gpu_of_which_the_job_holds_no_slice_is_not_its_to_take);
}
