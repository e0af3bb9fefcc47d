#include "hal/machine_json.hpp"

#include "base/json.hpp"
#include "base/text.hpp"
#include "hal/device_json.hpp"
#include "hal/json_reader.hpp"
#include "hal/machine_sense.hpp"

namespace mscale::hal {
namespace {

Json to_json(const NumaNode& node)
{
    Json pools = Json::array();
    for (const HugePagePool& pool : node.huge_pages)
        pools.push_back({{"page_bytes", pool.page_bytes},
                         {"total", pool.total},
                         {"free", pool.free},
                         {"surplus", pool.surplus}});
    return {{"id", node.id},
            {"cpus", to_string(node.cpus)},
            {"memory_bytes", node.memory_bytes},
            {"free_bytes", node.free_bytes},
            {"huge_pages", std::move(pools)},
            {"distances", node.distances},
            {"cache_bytes", node.cache_bytes}};
}

Result<HugePagePool> read_pool(const Json& json, const std::string& what)
{
    JsonReader reader(json, what);
    HugePagePool pool;
    reader.read("page_bytes", pool.page_bytes);
    reader.read("total", pool.total);
    reader.read("free", pool.free);
    reader.read("surplus", pool.surplus);
    return reader.end(pool);
}

Result<NumaNode> read_node(const Json& json, const std::string& what)
{
    JsonReader reader(json, what);
    NumaNode node;
    reader.read("id", node.id);
    reader.read("cpus", node.cpus);
    reader.read("memory_bytes", node.memory_bytes);
    reader.read("free_bytes", node.free_bytes);
    reader.read_each("huge_pages", node.huge_pages, read_pool);
    reader.read("distances", node.distances);
    if (json.contains("cache_bytes")) reader.read("cache_bytes", node.cache_bytes); // an older mscale's file has none
    return reader.end(std::move(node));
}

Json to_json(const Core& core)
{
    return {{"id", core.id},
            {"package", core.package},
            {"numa", json_of(core.numa)},
            {"spans_nodes", core.spans_nodes},
            {"cpus", to_string(core.cpus)}};
}

Result<Core> read_core(const Json& json, const std::string& what)
{
    JsonReader reader(json, what);
    Core core;
    reader.read("id", core.id);
    reader.read("package", core.package);
    reader.read("numa", core.numa);
    reader.read("spans_nodes", core.spans_nodes);
    reader.read("cpus", core.cpus);
    return reader.end(std::move(core));
}

Json to_json(const Kernel& kernel)
{
    return {{"release", kernel.release},
            {"cgroup_version", kernel.cgroup_version},
            {"huge_page_sizes", kernel.huge_page_sizes},
            {"io_uring_disabled", json_of(kernel.io_uring_disabled)},
            {"btf", kernel.btf},
            {"cpu_flags", kernel.cpu_flags}};
}

Result<Kernel> read_kernel(const Json& json, const std::string& what)
{
    JsonReader reader(json, what);
    Kernel kernel;
    reader.read("release", kernel.release);
    reader.read("cgroup_version", kernel.cgroup_version);
    reader.read("huge_page_sizes", kernel.huge_page_sizes);
    reader.read("io_uring_disabled", kernel.io_uring_disabled);
    reader.read("btf", kernel.btf);
    reader.read("cpu_flags", kernel.cpu_flags);
    return reader.end(std::move(kernel));
}

Result<void> check_version(const Json& json, const std::string& what)
{
    JsonReader reader(json, what);
    unsigned version = 0;
    reader.read("mscale_machine", version);
    const Result<unsigned> read = reader.end(version);
    if (!read) return tl::unexpected(read.error());
    if (version == machine_json_version) return {};
    return failure(
        Code::json_member,
        format("{}: the machine is written in version {} of the form, this mscale reads version {}", what,
               version, machine_json_version));
}

} // namespace

Json to_json(const Machine& machine)
{
    return {{"mscale_machine", machine_json_version},
            {"name", machine.name},
            {"origin", machine.origin},
            {"numa", json_list(machine.numa, [](const NumaNode& node) { return to_json(node); })},
            {"cores", json_list(machine.cores, [](const Core& core) { return to_json(core); })},
            {"online", to_string(machine.online)},
            {"isolated", to_string(machine.isolated)},
            {"gpus", json_list(machine.gpus, [](const Gpu& gpu) { return to_json(gpu); })},
            {"disks", json_list(machine.disks, [](const Disk& disk) { return to_json(disk); })},
            {"ports", json_list(machine.ports, [](const RdmaPort& port) { return to_json(port); })},
            {"kernel", to_json(machine.kernel)},
            {"notes", machine.notes}};
}

Result<Machine> machine_from_json(const Json& json, const std::string& what)
{
    const Result<void> version = check_version(json, what);
    if (!version) return tl::unexpected(version.error());
    JsonReader reader(json, what);
    Machine machine;
    reader.read("name", machine.name);
    reader.read("origin", machine.origin);
    reader.read_each("numa", machine.numa, read_node);
    reader.read_each("cores", machine.cores, read_core);
    reader.read("online", machine.online);
    reader.read("isolated", machine.isolated);
    reader.read_each("gpus", machine.gpus, read_gpu);
    reader.read_each("disks", machine.disks, read_disk);
    reader.read_each("ports", machine.ports, read_port);
    reader.read_object("kernel", machine.kernel, read_kernel);
    reader.read("notes", machine.notes);
    Result<Machine> read = reader.end(std::move(machine));
    if (!read) return read;
    if (auto sense = check_sense(*read, what); !sense) return tl::unexpected(std::move(sense.error()));
    return read;
}

} // namespace mscale::hal
