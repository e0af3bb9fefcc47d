#include "contract/rails.hpp"
#include "tests/unit/verdict/machines.hpp"
#include "tests/unit/verdict/suites.hpp"

using namespace mscale;
using namespace mscale::contract;

START_TEST(a_disk_is_chosen_near_the_workers_gpu)
{
    const Verdict verdict = judge("gpu.sm=8,role.loader.gpu=1,role.loader.disk=nvme", two_sockets());
    expect_honoured(verdict);
    ck_assert_str_eq(verdict.plan.workers[0].roles[0].disk.c_str(), "nvme1n1 (S1)");
}
END_TEST

START_TEST(a_gpu_named_by_its_index_is_told_as_its_pci_address)
{
    const hal::Machine machine = two_sockets();
    const Verdict verdict = judge("role.loader.gpu=1", machine);
    expect_honoured(verdict);
    const RolePlan& role = verdict.plan.workers[0].roles[0];
    ck_assert(role.gpu == 1 && role.gpu_pci == hal::to_string(machine.gpus[1].pci));
}
END_TEST

START_TEST(a_partition_is_refused_with_its_whole_disk)
{
    const Refusal refusal = refusal_of(judge("role.loader.disk=nvme9n1", two_sockets()), "role.loader.disk");
    ck_assert(refusal.code == Code::no_such_disk);
    expect_part(refusal.reason, "nvme0n1, nvme1n1");
    Contract contract;
    contract.roles["loader"].disk = "nvme1n1p1";
    const hal::Machine machine = two_sockets();
    const Site site;
    expect_part(verify(contract, {machine, site, {}}).refusals.at(0).hint, "nvme1n1");
}
END_TEST

START_TEST(a_depth_beyond_the_queues_is_refused_with_their_depth)
{
    expect_honoured(judge("role.loader.disk=nvme,role.loader.io_depth=128", two_sockets()));
    const Refusal refusal = refusal_of(judge("role.loader.disk=nvme,role.loader.io_depth=129", two_sockets()),
                                       "role.loader.io_depth");
    ck_assert(refusal.code == Code::io_depth);
    expect_part(refusal.reason, "128");
}
END_TEST

START_TEST(queues_must_be_covered_by_the_roles_cores)
{
    hal::Machine machine = two_sockets();
    for (unsigned i = 0; i < 4; ++i) machine.disks[0].queues.push_back({i, CpuSet({i, i + 8})});
    const std::string text =
        "role.loader.disk=nvme0n1,role.loader.cores=2,role.loader.near=disk,role.loader.disk_queues=";
    expect_honoured(judge(text + "2", machine));
    expect_part(refusal_of(judge(text + "3", machine), "role.loader.disk_queues").reason,
                "reach 2 hardware queues");
}
END_TEST

START_TEST(gpu_and_disk_of_a_domain_share_the_root)
{
    expect_honoured(judge("role.loader.disk=nvme,role.loader.pcie_domain=gpu", two_sockets()));
    const Refusal refusal = refusal_of(
        judge("role.loader.disk=nvme0n1,role.loader.gpu=1,role.loader.pcie_domain=gpu", two_sockets()),
        "role.loader.pcie_domain");
    ck_assert(refusal.code == Code::pcie_domain);
    expect_part(refusal.hint, "GPU 0 (0000:11:00.0) with nvme0n1");
}
END_TEST

START_TEST(a_domain_is_named_by_any_bus_in_it)
{
    const Verdict verdict = judge("role.loader.disk=nvme,role.loader.pcie_domain=0000:81", two_sockets());
    expect_honoured(verdict);
    ck_assert_uint_eq(*verdict.plan.workers[0].gpu, 1);
    refusal_of(judge("role.loader.pcie_domain=0000:77", two_sockets()), "role.loader.pcie_domain");
}
END_TEST

START_TEST(a_bus_below_an_unknown_hierarchy_is_unknown_and_not_absent)
{
    hal::Machine machine = two_sockets();
    machine.gpus[1].locality.pci_root.clear();
    const std::string text = "role.loader.gpu=1,role.loader.pcie_domain=0000:81";
    const Refusal refusal = refusal_of(judge(text, machine), "role.loader.pcie_domain");
    ck_assert(refusal.code == Code::unknown_locality);
    expect_text(refusal.reason, "whether 0000:81:00.0 lies on bus 0000:81 or below it is unknown: the machine shows no PCI "
                                "hierarchy above it");
    expect_part(refusal.hint, "contract.strict = no");
    const Verdict lenient = judge("contract.strict=no," + text, machine);
    expect_honoured(lenient);
    ck_assert(any_holds(lenient.warnings, "is unknown"));
    const Refusal member =
        refusal_of(judge("role.loader.gpu=1,role.loader.pcie_domain=0000:10", machine), "role.loader.pcie_domain");
    ck_assert(member.code == Code::unknown_locality);
    expect_part(member.reason, "the PCIe domain of GPU 1 (0000:81:00.0) is unknown");
}
END_TEST

START_TEST(how_ports_are_used_needs_an_active_one)
{
    hal::Machine machine = two_sockets();
    const std::string uses = "rdma.pool=2MiB*1,rdma.credit_window=8,rdma.retry_count=3,rdma.queue_pairs=1,rdma.gid=auto,"
                             "rdma.timeout=5,rdma.rate_min=200Gb/s";
    expect_honoured(judge(uses, machine));
    for (hal::RdmaPort& port : machine.ports) port.state = "DOWN";
    expect_part(refusal_of(judge(uses, machine), "rdma.retry_count").reason, "no RDMA port is active; the ports are: mlx5_0:1");
    machine.ports.clear();
    const Verdict verdict = judge(uses, machine);
    ck_assert_uint_eq(verdict.refusals.size(), 7);
    for (const Refusal& refusal : verdict.refusals) {
        ck_assert(refusal.code == Code::no_such_port);
        expect_text(refusal.reason, "the machine has no RDMA port");
    }
}
END_TEST

START_TEST(a_least_rate_without_a_port_holds_for_every_active_one)
{
    hal::Machine machine = two_sockets();
    machine.ports[1].rate_gbps = 100;
    expect_part(refusal_of(judge("rdma.rate_min=200Gb/s", machine), "rdma.rate_min").reason, "mlx5_1:1 runs at 100 Gb/s");
    expect_honoured(judge("rdma.port=mlx5_0:1,rdma.rate_min=200Gb/s", machine));
}
END_TEST

START_TEST(queues_whose_cpus_are_unknown_are_told_so)
{
    const Verdict verdict = judge("role.a.cores=1,role.a.disk=nvme0n1,role.a.disk_queues=1", two_sockets());
    ck_assert(any_holds(verdict.warnings, "which CPUs reach the hardware queues of nvme0n1 (serial S0) is unknown"));
}
END_TEST

START_TEST(ports_are_exact)
{
    hal::Machine machine = two_sockets();
    machine.ports[1].device = "mlx5_11";
    const Refusal refusal = refusal_of(judge("rdma.port=mlx5_1:1", machine), "rdma.port");
    ck_assert(refusal.code == Code::no_such_port);
    expect_part(refusal.reason, "mlx5_0:1, mlx5_11:1");
}
END_TEST

START_TEST(a_port_that_is_down_is_refused_with_both_states)
{
    hal::Machine machine = two_sockets();
    machine.ports[0].state = "DOWN";
    machine.ports[0].phys_state = "Polling";
    const Refusal refusal = refusal_of(judge("rdma.port=mlx5_0:1", machine), "rdma.port");
    ck_assert(refusal.code == Code::port_down);
    expect_part(refusal.reason, "DOWN");
    expect_part(refusal.reason, "Polling");
    expect_part(refusal.hint, "mlx5_1:1");
}
END_TEST

START_TEST(a_port_of_unknown_state_is_told_so_with_what_shows_it)
{
    hal::Machine machine = two_sockets();
    for (hal::RdmaPort& port : machine.ports) {
        port.state = port.phys_state = "";
        port.rate_gbps = 0;
    }
    const Refusal refusal = refusal_of(judge("rdma.port=mlx5_0:1,rdma.rate_min=100Gb/s", machine), "rdma.port");
    ck_assert(refusal.code == Code::port_down);
    expect_text(refusal.reason, "whether mlx5_0:1 is active isn't known: its state wasn't read");
    expect_part(refusal.hint, "`mscale topology --json` prints on the machine itself");
    expect_part(refusal.hint, "/sys/class/infiniband/mlx5_0/ports/1/state");
    const Refusal rate = refusal_of(judge("rdma.port=mlx5_0:1,rdma.rate_min=100Gb/s", machine), "rdma.rate_min");
    expect_text(rate.reason, "the rate of mlx5_0:1 isn't known: it wasn't read");
    machine.this_system = true;
    expect_part(refusal_of(judge("rdma.port=mlx5_0:1", machine), "rdma.port").hint, "state made readable");
}
END_TEST

START_TEST(no_clause_takes_an_unknown_state_for_a_port_that_is_down)
{
    hal::Machine machine = two_sockets();
    machine.ports[0].state = "DOWN";
    machine.ports[1].state = "";
    const std::string unknown = "no RDMA port is known to be active; of mlx5_1:1 the state wasn't read";
    expect_text(refusal_of(judge("rdma.retry_count=3", machine), "rdma.retry_count").reason, unknown);
    expect_text(refusal_of(judge("gpu.sm=8,rdma.port=near gpu", machine), "rdma.port").reason, unknown);
    const Refusal near = refusal_of(judge("role.a.cores=1,role.a.near=nic", machine), "role.a.near");
    expect_text(near.reason, unknown);
    expect_part(near.hint, "/sys/class/infiniband/mlx5_1/ports/1/state");
}
END_TEST

START_TEST(a_rail_without_an_active_port_is_cured_without_one)
{
    hal::Machine machine = two_sockets();
    machine.ports[1].state = "DOWN";
    const Allocation two{.cpus = {}, .tasks = 2, .gpus = {}, .sm_slices = {}};
    const std::string text = "gpu.sm=8,rdma.port=near gpu";
    const Refusal few = refusal_of(judge(text, machine, two), "rdma.port");
    expect_part(few.reason, "none is left for worker 2 of 2");
    expect_part(few.hint, "at most 1 worker per node");
    machine.ports[0].state = "DOWN";
    const Refusal down = refusal_of(judge(text, machine), "rdma.port");
    expect_part(down.reason, "no RDMA port is active; the ports are: mlx5_0:1, mlx5_1:1");
    expect_part(down.hint, "leave the clause out");
    machine.ports.clear();
    expect_text(refusal_of(judge(text, machine), "rdma.port").reason, "the machine has no RDMA port");
    const Refusal named = refusal_of(judge("rdma.port=mlx5_0:1", machine), "rdma.port");
    expect_part(named.reason, "the machine has no RDMA port");
    expect_part(named.hint, "leave the clause out");
}
END_TEST

START_TEST(only_disks_that_the_clause_takes_are_listed)
{
    hal::Machine machine = two_sockets();
    machine.disks[0].name = "vda";
    machine.disks[0].kind = "other";
    expect_text(refusal_of(judge("role.a.disk=nvme9n1", machine), "role.a.disk").reason,
                "the disks here are: nvme1n1");
    machine.disks.pop_back();
    const Refusal refusal = refusal_of(judge("role.a.disk=nvme9n1", machine), "role.a.disk");
    expect_part(refusal.hint, "write any");
    ck_assert(refusal.reason.find("vda") == std::string::npos);
    machine.disks.clear();
    expect_text(refusal_of(judge("role.a.disk=any", machine), "role.a.disk").hint, "leave the clause out");
}
END_TEST

START_TEST(ethernet_ports_are_no_rails_beside_infiniband)
{
    hal::Machine machine = two_sockets();
    machine.ports[0].link_layer = "Ethernet";
    const auto rails = active_rails(machine);
    ck_assert_uint_eq(rails.size(), 1);
    ck_assert_str_eq(rails[0]->device.c_str(), "mlx5_1");
}
END_TEST

START_TEST(unknown_places_satisfy_no_relation_in_a_strict_contract)
{
    hal::Machine machine = two_sockets();
    machine.gpus.pop_back();
    machine.gpus[0].locality = {};
    const Refusal refusal =
        refusal_of(judge("role.loader.cores=1,role.loader.near=gpu", machine), "role.loader.near");
    ck_assert(refusal.code == Code::unknown_locality);
    expect_part(refusal.reason, "unknown");
    const Verdict lenient = judge("contract.strict=no,role.loader.cores=1,role.loader.near=gpu", machine);
    expect_honoured(lenient);
    ck_assert(any_holds(lenient.warnings, "unknown"));
}
END_TEST

START_TEST(a_disk_in_another_domain_is_refused_by_the_site)
{
    const std::string text = "role.loader.cores=1,role.loader.near=numa:0,role.loader.disk=nvme1n1";
    const hal::Machine machine = two_sockets();
    ck_assert(refusal_of(judge(text, machine), "role.loader.near").code == Code::cross_domain);
    Site site;
    site.cross_domain = CrossDomain::allow;
    const Verdict allowed = verify(contract_of(text), {machine, site, {}});
    expect_honoured(allowed);
    ck_assert(any_holds(allowed.warnings, "NUMA node 1"));
}
END_TEST

START_TEST(io_only_binds_the_roles_that_do_io)
{
    const hal::Machine machine = two_sockets();
    Site site;
    site.cross_domain = CrossDomain::io_only;
    const auto judge_role = [&](const std::string& role) {
        return verify(contract_of("role." + role + ".gpu=1,role." + role + ".cores=[0,8]"),
                      {machine, site, {}});
    };
    expect_honoured(judge_role("embed"));
    ck_assert(refusal_of(judge_role("image_loader"), "role.image_loader.cores").code == Code::cross_domain);
}
END_TEST

Suite* devices_suite()
{
    return make_suite(
        "devices", a_disk_is_chosen_near_the_workers_gpu, a_gpu_named_by_its_index_is_told_as_its_pci_address,
        a_partition_is_refused_with_its_whole_disk,
        a_depth_beyond_the_queues_is_refused_with_their_depth, queues_must_be_covered_by_the_roles_cores,
        gpu_and_disk_of_a_domain_share_the_root, a_domain_is_named_by_any_bus_in_it,
        a_bus_below_an_unknown_hierarchy_is_unknown_and_not_absent, how_ports_are_used_needs_an_active_one,
        a_least_rate_without_a_port_holds_for_every_active_one, queues_whose_cpus_are_unknown_are_told_so, ports_are_exact,
        a_port_of_unknown_state_is_told_so_with_what_shows_it,
                      no_clause_takes_an_unknown_state_for_a_port_that_is_down,
        a_rail_without_an_active_port_is_cured_without_one, only_disks_that_the_clause_takes_are_listed,
        a_port_that_is_down_is_refused_with_both_states, ethernet_ports_are_no_rails_beside_infiniband,
        unknown_places_satisfy_no_relation_in_a_strict_contract,
        a_disk_in_another_domain_is_refused_by_the_site, io_only_binds_the_roles_that_do_io);
}
