#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "contract/device.hpp"
#include "contract/gres_conf.hpp"
#include "contract/rails.hpp"
#include "hal/probe.hpp"
#include "tests/unit/verdict/machines.hpp"
#include "tests/unit/verdict/suites.hpp"

// Cases from public reports (tests/fixtures/cases/cases.jsonl), one test each; cases_map.tsv says where the
// others are.
using namespace mscale;
using namespace mscale::contract;

START_TEST(case_a01_a_gpu_on_another_node_than_the_loader_is_refused_with_its_cpus)
{
    const Verdict verdict =
        judge("role.loader.gpu=0,role.loader.cores=2,role.loader.near=numa:0", model("dgx-a100-nps4"));
    const Refusal refusal = refusal_of(verdict, "role.loader.near");
    ck_assert(refusal.code == Code::cross_domain);
    expect_part(refusal.reason, "NUMA node 3 (CPUs 48-63,176-191)");
}
END_TEST

START_TEST(case_a02_rails_are_paired_by_switch_and_never_by_number)
{
    const hal::Machine& machine = model("hgx-h100-2s");
    std::vector<const hal::Gpu*> gpus;
    for (const hal::Gpu& gpu : machine.gpus) gpus.push_back(&gpu);
    const auto rails = pair_rails(machine, gpus);
    ck_assert_uint_eq(std::set(rails.begin(), rails.end()).size(), 8);
    for (std::size_t i = 0; i < rails.size(); ++i)
        ck_assert_str_eq(rails[i]->locality.pci_root.c_str(), gpus[i]->locality.pci_root.c_str());
    ck_assert_str_eq(rails[3]->device.c_str(), "mlx5_5");
}
END_TEST

START_TEST(case_a03_an_unknown_place_is_refused_by_that_word_or_told)
{
    const hal::Machine& machine = model("kvm-flat-numa-1");
    const Refusal refusal =
        refusal_of(judge("role.loader.cores=1,role.loader.near=gpu", machine), "role.loader.near");
    ck_assert(refusal.code == Code::unknown_locality);
    expect_part(refusal.reason, "unknown");
    ck_assert(refusal.reason.find("node 0") == std::string::npos);
    const Verdict lenient = judge("contract.strict=no,role.loader.cores=1,role.loader.near=gpu", machine);
    expect_honoured(lenient);
    ck_assert(any_holds(lenient.warnings, "unknown"));
}
END_TEST

START_TEST(case_a04_a_loader_lies_on_a_node_with_cpus)
{
    const Refusal refusal = refusal_of(
        judge("role.loader.cores=1,role.loader.near=numa:4", model("gh200-4x")), "role.loader.near");
    ck_assert(refusal.code == Code::no_such_numa);
    expect_part(refusal.reason, "no CPUs: it is the memory of a device");
    expect_part(refusal.hint, "0, 1, 2, 3");
    expect_honoured(judge("role.loader.cores=1,role.loader.near=numa:3", model("gh200-4x")));
}
END_TEST

START_TEST(case_a10_a_place_that_a_second_source_knows_counts)
{
    hal::Machine machine = two_sockets();
    machine.gpus.erase(machine.gpus.begin());
    machine.gpus[0].index = 0;
    machine.gpus[0].locality = {1, cpus("4-7,12-15"), "", {}, "nvml"};
    const Verdict verdict = judge("role.loader.cores=1,role.loader.near=gpu", machine);
    expect_honoured(verdict);
    ck_assert(verdict.plan.workers[0].roles[0].cpus == cpus("4,12"));
}
END_TEST

START_TEST(case_a11_rails_are_known_by_the_port_state_and_ethernet_is_none)
{
    const hal::Machine& machine = model("hgx-h100-2s");
    const auto rails = active_rails(machine);
    ck_assert_uint_eq(rails.size(), 8);
    for (const hal::RdmaPort* rail : rails) ck_assert_str_eq(rail->link_layer.c_str(), "InfiniBand");
    expect_honoured(judge(format("rdma.port={}", describe(*rails[0])), machine));
}
END_TEST

START_TEST(case_a13_a_core_that_spans_two_nodes_refuses_a_strict_contract)
{
    hal::Machine machine;
    machine.online = cpus("0-7");
    machine.numa = {{0, cpus("0-2,4-6"), 0, 0, {}, {}}, {1, cpus("3,7"), 0, 0, {}, {}}};
    for (unsigned core = 0; core < 4; ++core)
        machine.cores.push_back({core, 0, core == 1 ? std::nullopt : std::optional(core == 3 ? 1U : 0U),
                                 core == 1, CpuSet({2 * core, 2 * core + 1})});
    const Refusal refusal = refusal_of(judge("role.loader.cores=1", machine), "role.loader.cores");
    ck_assert(refusal.code == Code::core_spans_nodes);
    expect_part(refusal.reason, "2-3");
}
END_TEST

START_TEST(case_a15_xml_of_a_newer_hwloc_is_refused_with_both_versions)
{
    const std::string path = format("/tmp/mscale-xml-{}", getpid());
    ck_assert(replace_file(path, "<?xml version=\"1.0\"?>\n<topology version=\"3.0\">\n</topology>\n", 0600)
                  .has_value());
    const auto machine = hal::read_machine_file(path);
    std::filesystem::remove(path);
    ck_assert(!machine);
    expect_part(machine.error().text, "3.0");
    expect_part(machine.error().text, "2.");
}
END_TEST

START_TEST(case_b01_gres_lines_hold_core_numbers_and_cpu_numbers_are_explained)
{
    const hal::Machine& machine = model("dgx-a100-nps4");
    const GresLines lines = make_gres_lines(machine, "a1", "sm", "/dev/mscale");
    ck_assert(any_holds(lines.gres_conf, "Cores=48-63"));
    ck_assert(!any_holds(lines.gres_conf, "176"));
    const auto fault = check_gres_line(machine, "Name=gpu File=/dev/nvidia0 Cores=48-63,176-191");
    expect_part(fault.value_or(""), "CPU numbers");
    expect_part(fault.value_or(""), "write Cores=48-63");
    ck_assert(!check_gres_line(machine, "Name=gpu File=/dev/nvidia0 Cores=48-63"));
}
END_TEST

START_TEST(case_b02_autodetect_across_socket_boundaries_is_told_before_rollout)
{
    const auto fault = check_gres_line(model("dgx-a100-nps4"), "AutoDetect=nvml");
    expect_part(fault.value_or(""), "socket boundaries");
    ck_assert(!check_gres_line(model("hgx-h100-2s"), "AutoDetect=nvml"));
    for (const std::string& line :
         make_gres_lines(model("dgx-a100-nps4"), "a1", "sm", "/dev/mscale").gres_conf)
        ck_assert(line.find("AutoDetect") == std::string::npos);
}
END_TEST

START_TEST(case_b04_a_gpu_is_told_by_pci_address_whatever_its_minor)
{
    hal::Machine machine = two_sockets();
    const Verdict verdict =
        judge("gpu.sm=8", machine, {.cpus = {}, .tasks = 1, .gpus = {1}, .sm_slices = {}});
    ck_assert_str_eq(verdict.plan.workers[0].gpu_pci.c_str(), "0000:81:00.0");
    ck_assert(any_holds(make_gres_lines(machine, "n1", "sm", "/d").gres_conf, "File=/dev/nvidia0 Cores=4-7"));
}
END_TEST

START_TEST(case_b06_a_count_is_cores_and_the_verdict_says_cores_and_cpus)
{
    hal::Machine machine;
    machine.online = cpus("0-95");
    machine.numa = {{0, cpus("0-23,48-71"), 0, 0, {}, {}}, {1, cpus("24-47,72-95"), 0, 0, {}, {}}};
    for (unsigned core = 0; core < 48; ++core)
        machine.cores.push_back({core, core / 24, core / 24, false, CpuSet({core, core + 48})});
    const Allocation granted{.cpus = cpus("0-1,48-49"), .tasks = 1, .gpus = {}, .sm_slices = {}};
    const Refusal refusal = refusal_of(judge("role.loader.cores=4", machine, granted), "role.loader.cores");
    expect_part(refusal.reason, "2 cores (4 CPUs: 0-1,48-49)");
    expect_honoured(judge("role.loader.cores=2", machine, granted));
}
END_TEST

START_TEST(case_b11_slurms_core_numbers_are_positions_and_not_the_kernels)
{
    hal::Machine machine;
    machine.online = cpus("0-13");
    for (unsigned core = 0; core < 14; ++core)
        machine.cores.push_back({core < 7 ? core : core + 1, 0, 0, false, CpuSet({core})});
    ck_assert(to_core_ids(machine, cpus("0-13")) == cpus("0-13"));
    ck_assert(to_core_ids(machine, cpus("7-8")) == cpus("7-8"));
}
END_TEST

START_TEST(case_e09_a_port_that_polls_is_refused_with_both_states)
{
    hal::Machine machine = model("hgx-h100-2s");
    hal::RdmaPort& port = machine.ports[0];
    port.state = "DOWN";
    port.phys_state = "Polling";
    port.rate_gbps = 10;
    const Refusal refusal = refusal_of(judge(format("rdma.port={}", describe(port)), machine), "rdma.port");
    expect_part(refusal.reason, "DOWN");
    expect_part(refusal.reason, "Polling");
}
END_TEST

Suite* cases_suite()
{
    return make_suite("cases", case_a01_a_gpu_on_another_node_than_the_loader_is_refused_with_its_cpus,
                      case_a02_rails_are_paired_by_switch_and_never_by_number,
                      case_a03_an_unknown_place_is_refused_by_that_word_or_told,
                      case_a04_a_loader_lies_on_a_node_with_cpus,
                      case_a10_a_place_that_a_second_source_knows_counts,
                      case_a11_rails_are_known_by_the_port_state_and_ethernet_is_none,
                      case_a13_a_core_that_spans_two_nodes_refuses_a_strict_contract,
                      case_a15_xml_of_a_newer_hwloc_is_refused_with_both_versions,
                      case_b01_gres_lines_hold_core_numbers_and_cpu_numbers_are_explained,
                      case_b02_autodetect_across_socket_boundaries_is_told_before_rollout,
                      case_b04_a_gpu_is_told_by_pci_address_whatever_its_minor,
                      case_b06_a_count_is_cores_and_the_verdict_says_cores_and_cpus,
                      case_b11_slurms_core_numbers_are_positions_and_not_the_kernels,
                      case_e09_a_port_that_polls_is_refused_with_both_states);
}
