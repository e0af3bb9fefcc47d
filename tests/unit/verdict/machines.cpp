#include "tests/unit/verdict/machines.hpp"

#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/text.hpp"
#include "hal/probe.hpp"
#include "tests/unit/check.hpp"

namespace mscale::contract {
namespace {

std::map<std::string, hal::Machine>& models()
{
    static std::map<std::string, hal::Machine> all;
    return all;
}

hal::Machine read_model(const std::string& name)
{
    std::string directory = "/tmp/mscale-model-XXXXXX";
    if (mkdtemp(directory.data()) == nullptr) std::abort();
    const std::string cases = fixture("cases/");
    const std::string command =
        format("python3 {0}unpack.py {0}topo/{1}.sysfs {2} >/dev/null", cases, name, directory);
    if (std::system(command.c_str()) != 0) std::abort();
    auto machine = hal::probe_machine({Root(directory), ""});
    std::filesystem::remove_all(directory);
    if (!machine) {
        std::fputs(to_line(machine.error()).c_str(), stderr);
        std::abort();
    }
    return std::move(*machine);
}

hal::Locality place(unsigned node, const CpuSet& near)
{
    return {node, near, node == 0 ? "0000:10" : "0000:80", {}, "sysfs"};
}

void add_devices(hal::Machine& machine, unsigned node, const CpuSet& near)
{
    const auto bus = static_cast<std::uint8_t>(node == 0 ? 0x11 : 0x81);
    hal::Gpu gpu;
    gpu.index = node;
    gpu.minor = 1 - node;
    gpu.model = "NVIDIA H100 80GB HBM3";
    gpu.pci = {0, bus, 0, 0};
    gpu.sms = 132;
    gpu.sm_chunk = 8;
    gpu.memory_bytes = 80ULL << 30;
    gpu.abilities = {"fp8", "nvlink"};
    gpu.locality = place(node, near);
    machine.gpus.push_back(gpu);
    hal::Disk disk;
    disk.name = format("nvme{}n1", node);
    disk.kind = "nvme";
    disk.serial = format("S{}", node);
    disk.nr_requests = 128;
    disk.queue_count = 4;
    disk.partitions = {disk.name + "p1"};
    disk.locality = place(node, near);
    machine.disks.push_back(disk);
    hal::RdmaPort port;
    port.device = format("mlx5_{}", node);
    port.link_layer = "InfiniBand";
    port.state = "ACTIVE";
    port.phys_state = "LinkUp";
    port.rate_gbps = 400;
    port.locality = place(node, near);
    machine.ports.push_back(port);
}

} // namespace

Result<std::string> NoProfiles::read(std::string_view name) const
{
    return failure(Code::unknown_profile, std::string(name));
}

hal::Machine two_sockets()
{
    hal::Machine machine;
    machine.name = "two_sockets";
    machine.online = cpus("0-15");
    machine.kernel.huge_page_sizes = {2ULL << 20, 1ULL << 30};
    machine.kernel.cpu_flags = {"avx2"};
    for (unsigned node = 0; node < 2; ++node) {
        const CpuSet near = cpus(node == 0 ? "0-3,8-11" : "4-7,12-15");
        machine.numa.push_back({node, near, 8ULL << 30, 0, {{2ULL << 20, 1000, 1000, 0}}, {10, 20}});
        for (unsigned core = 0; core < 4; ++core) {
            const unsigned cpu = node * 4 + core;
            machine.cores.push_back({core, node, node, false, CpuSet({cpu, cpu + 8})});
        }
        add_devices(machine, node, near);
    }
    return machine;
}

const hal::Machine& model(const std::string& name)
{
    return models().at(name);
}

void load_models()
{
    for (const char* name : {"hgx-h100-2s", "dgx-a100-nps4", "kvm-flat-numa-1", "gh200-4x"})
        models().emplace(name, read_model(name));
}

Contract contract_of(const std::string& text)
{
    const Parsed parsed = parse_contract(text, "test", NoProfiles());
    ck_assert_msg(parsed.ok(), "%s", to_text(parsed.faults).c_str());
    return parsed.contract;
}

Verdict judge(const std::string& text, const hal::Machine& machine, const Allocation& allocation)
{
    const Site site;
    return verify(contract_of(text), {machine, site, allocation});
}

Refusal refusal_of(const Verdict& verdict, const std::string& clause)
{
    for (const Refusal& refusal : verdict.refusals)
        if (refusal.clause == clause) return refusal;
    ck_abort_msg("no refusal of %s, but: %s", clause.c_str(), to_text(verdict.refusals).c_str());
}

void expect_honoured(const Verdict& verdict)
{
    ck_assert_msg(verdict.honoured(), "%s", to_text(verdict.refusals).c_str());
}

void expect_text(const std::string& text, const std::string& wanted)
{
    ck_assert_str_eq(text.c_str(), wanted.c_str());
}

void expect_part(const std::string& text, const std::string& part)
{
    ck_assert_msg(text.find(part) != std::string::npos, "'%s' isn't in '%s'", part.c_str(), text.c_str());
}

bool any_holds(const std::vector<std::string>& lines, const std::string& part)
{
    for (const std::string& line : lines)
        if (line.find(part) != std::string::npos) return true;
    return false;
}

CpuSet cpus(const std::string& list)
{
    return parse_cpu_list(list).value();
}

} // namespace mscale::contract
