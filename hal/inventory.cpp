#include "hal/inventory.hpp"

#include <algorithm>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "hal/json_reader.hpp"
#include "hal/machine_json.hpp"

namespace mscale::hal {
namespace {

constexpr std::size_t class_limit = 16u << 20; // a class of 2000 CPUs and 100 devices is about 1 MiB
constexpr std::string_view suffix = ".json";
constexpr std::string_view partitions_file = "partitions.json";

Result<Json> read_json_file(const Root& directory, const std::string& name)
{
    const std::string path = directory.directory() + "/" + name;
    const Result<std::string> text = directory.read("/" + name, class_limit);
    if (!text) return restate(Code::inventory, text.error(), path + ": " + text.error().text);
    const Result<Json> json = parse_json(*text, path);
    if (!json) return failure(Code::inventory, json.error().text);
    return *json;
}

Result<void> add_class(Inventory& inventory, const Json& json, const Root& directory, const std::string& file)
{
    Result<MachineClass> machine_class = class_from_json(json, directory.directory() + "/" + file);
    if (!machine_class) return failure(Code::inventory, machine_class.error().text);
    machine_class->name = file.substr(0, file.size() - suffix.size());
    inventory.classes.push_back(std::move(*machine_class));
    return {};
}

Result<void> add_file(Inventory& inventory, const Root& directory, const std::string& file)
{
    const Result<Json> json = read_json_file(directory, file);
    if (!json) return tl::unexpected(json.error());
    if (file != partitions_file) return add_class(inventory, *json, directory, file);
    Result<std::vector<PartitionEntry>> partitions =
        partitions_from_json(*json, directory.directory() + "/" + file);
    if (!partitions) return failure(Code::inventory, partitions.error().text);
    inventory.partitions = std::move(*partitions);
    return {};
}

Result<PartitionEntry> read_partition(const Json& json, const std::string& what)
{
    JsonReader reader(json, what);
    PartitionEntry partition;
    reader.read("name", partition.name);
    reader.read("nodes", partition.nodes);
    reader.read("default", partition.is_default);
    if (json.contains("preemption")) { // a file of an older mscale has none of these
        reader.read("preemption", partition.preemption);
        reader.read("grace", partition.grace);
        reader.read("kill_wait", partition.kill_wait);
    }
    return reader.end(std::move(partition));
}

Json or_null(const std::optional<unsigned>& number)
{
    return number ? Json(*number) : Json(nullptr);
}

/// Whatever may differ between two nodes of one class, made equal.
Machine without_identity(Machine machine)
{
    machine.name.clear();
    machine.origin.clear();
    machine.this_system = false;
    machine.notes.clear();
    for (NumaNode& node : machine.numa) {
        node.free_bytes = node.cache_bytes = 0;
        for (HugePagePool& pool : node.huge_pages) pool.free = pool.surplus = 0;
    }
    for (Gpu& gpu : machine.gpus) gpu.uuid.clear();
    for (Disk& disk : machine.disks) disk.serial.clear(), disk.wwid.clear();
    for (RdmaPort& port : machine.ports) port.gids.clear();
    return machine;
}

/// Firmware takes a different few MiB of each node, so equal memory is memory that differs by less than 2 %.
void level_memory(Machine& a, const Machine& b)
{
    for (std::size_t i = 0; i < std::min(a.numa.size(), b.numa.size()); ++i) {
        const auto [less, more] = std::minmax(a.numa[i].memory_bytes, b.numa[i].memory_bytes);
        if (more - less < more / 50) a.numa[i].memory_bytes = b.numa[i].memory_bytes;
    }
}

} // namespace

Result<Inventory> read_readable_inventory(const std::string& directory, std::vector<Error>& faults)
{
    const Root root(directory);
    const Result<std::vector<std::string>> files = root.list("/");
    if (!files) return restate(Code::inventory, files.error(), files.error().text);
    Inventory inventory;
    for (const std::string& file : *files) {
        if (!file.ends_with(suffix) || file.starts_with(".")) continue;
        if (Result<void> added = add_file(inventory, root, file); !added) faults.push_back(std::move(added.error()));
    }
    return inventory;
}

Result<Inventory> read_inventory(const std::string& directory)
{
    std::vector<Error> faults;
    Result<Inventory> inventory = read_readable_inventory(directory, faults);
    if (!inventory || faults.empty()) return inventory;
    std::vector<std::string> texts;
    for (const Error& fault : faults) texts.push_back(fault.text);
    return failure(Code::inventory, join(texts, "; "));
}

Json to_json(const MachineClass& machine_class)
{
    return {{"nodes", machine_class.nodes},
            {"written", machine_class.written},
            {"machine", to_json(machine_class.machine)}};
}

Result<MachineClass> class_from_json(const Json& json, const std::string& what)
{
    JsonReader reader(json, what);
    MachineClass machine_class;
    std::uint64_t written = 0;
    reader.read("nodes", machine_class.nodes);
    reader.read("written", written);
    reader.read_object("machine", machine_class.machine, machine_from_json);
    machine_class.written = static_cast<std::int64_t>(written);
    std::sort(machine_class.nodes.begin(), machine_class.nodes.end());
    return reader.end(std::move(machine_class));
}

Json to_json(const std::vector<PartitionEntry>& partitions)
{
    Json list = Json::array();
    for (const PartitionEntry& partition : partitions)
        list.push_back({{"name", partition.name},
                        {"nodes", partition.nodes},
                        {"default", partition.is_default},
                        {"preemption", partition.preemption},
                        {"grace", or_null(partition.grace)},
                        {"kill_wait", or_null(partition.kill_wait)}});
    return {{"partitions", std::move(list)}};
}

Result<std::vector<PartitionEntry>> partitions_from_json(const Json& json, const std::string& what)
{
    JsonReader reader(json, what);
    std::vector<PartitionEntry> partitions;
    reader.read_each("partitions", partitions, read_partition);
    return reader.end(std::move(partitions));
}

bool is_same_class(const Machine& a, const Machine& b)
{
    Machine left = without_identity(a);
    const Machine right = without_identity(b);
    level_memory(left, right);
    return to_json(left) == to_json(right);
}

} // namespace mscale::hal
