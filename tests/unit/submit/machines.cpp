#include "tests/unit/submit/suites.hpp"

using namespace mscale;

hal::Machine make_machine(unsigned cores)
{
    hal::Machine machine;
    machine.name = "model";
    hal::NumaNode node;
    node.memory_bytes = node.free_bytes = std::uint64_t{64} << 30;
    node.huge_pages = {{2 << 20, 64, 64, 0}};
    node.distances = {10};
    for (unsigned id = 0; id < cores; ++id) {
        hal::Core core;
        core.id = id;
        core.numa = 0;
        core.cpus = CpuSet({id, id + cores});
        node.cpus = node.cpus | core.cpus;
        machine.cores.push_back(core);
    }
    machine.online = node.cpus;
    hal::Gpu gpu;
    gpu.minor = 0;
    gpu.uuid = "GPU-1";
    gpu.model = "NVIDIA H100 80GB HBM3";
    gpu.pci = {0, 0x1b, 0, 0};
    gpu.sms = 132;
    gpu.sm_chunk = 8;
    gpu.memory_bytes = std::uint64_t{80} << 30;
    gpu.locality.numa = 0;
    gpu.locality.cpus = node.cpus;
    machine.gpus = {gpu};
    machine.numa = {node};
    machine.kernel.huge_page_sizes = {2 << 20};
    return machine;
}

submit::Policy make_policy(contract::Mode mode)
{
    submit::Policy policy;
    policy.site.emplace();
    policy.site->mode = mode;
    policy.site->grow = false;
    hal::Inventory inventory;
    inventory.classes = {{"large", {"a1", "a2", "a3"}, make_machine(16), 0},
                         {"small", {"b1"}, make_machine(4), 0}};
    inventory.partitions = {{"main", {"a1", "a2", "a3", "b1", "u1"}, true}, {"small", {"b1"}, false}};
    policy.inventory = std::make_shared<const hal::Inventory>(std::move(inventory));
    policy.rulings = std::make_shared<submit::Rulings>(std::chrono::minutes(1)); // a slow machine finds it, too
    return policy;
}

submit::JobRequest make_job(const std::string& contract)
{
    submit::JobRequest job;
    job.uid = 7;
    job.has_script = true;
    job.contract = contract;
    return job;
}
