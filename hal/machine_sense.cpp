#include "hal/machine_sense.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "base/text.hpp"

namespace mscale::hal {
namespace {

/// The faults found so far; a place is a JSON pointer below `above`, without its first '/'.
class Sense {
public:
    Sense(const Machine& machine, std::string above) : machine_(machine), above_(std::move(above))
    {
        for (const NumaNode& node : machine.numa) ids_.insert(node.id);
    }

    const Machine& machine() const { return machine_; }

    void fault(const std::string& place, const std::string& text)
    {
        constexpr std::size_t most = 50;
        if (texts_.size() < most) texts_.push_back(format("{}/{}: {}", above_, place, text));
        if (texts_.size() == most) texts_.emplace_back("further faults aren't listed");
    }

    /// Each value once among `seen`.
    template <class T> void expect_new(std::set<T>& seen, const T& value, const std::string& place, const std::string& shown)
    {
        if (!seen.insert(value).second) fault(place, format("{} stands there twice", shown));
    }

    /// True when the node is there, or none is named.
    bool expect_node(const std::optional<unsigned>& numa, const std::string& place)
    {
        if (!numa || ids_.contains(*numa)) return true;
        fault(place, format("there is no NUMA node {}", *numa));
        return false;
    }

    /// False where two nodes have one number, so that none can be meant by it.
    bool tells_nodes() const { return ids_.size() == machine_.numa.size(); }

    void expect_online(const CpuSet& cpus, const std::string& place)
    {
        if (const CpuSet others = cpus - machine_.online; !others.empty())
            fault(place, format("CPUs {} aren't online", to_string(others)));
    }

    /// CPUs that nothing of the same kind has; `taken` gets them.
    void expect_free(CpuSet& taken, const CpuSet& cpus, const std::string& place)
    {
        if (const CpuSet both = cpus & taken; !both.empty())
            fault(place, format("CPUs {} stand there twice", to_string(both)));
        taken = taken | cpus;
    }

    const std::vector<std::string>& texts() const { return texts_; }

private:
    const Machine& machine_;
    std::string above_;
    std::set<unsigned> ids_;
    std::vector<std::string> texts_;
};

void expect_page_size(Sense& sense, std::uint64_t bytes, const std::string& place)
{
    if (bytes < 4096 || !std::has_single_bit(bytes)) sense.fault(place, format("{} is no size of a page", bytes));
}

/// Texts are shown on terminals.
void expect_printable(Sense& sense, const std::string& text, const std::string& place)
{
    if (printable(text, text.size()) != text) sense.fault(place, format("'{}' has control bytes", printable(text, 60)));
}

void check_pools(Sense& sense, const NumaNode& node, const std::string& place)
{
    std::set<std::uint64_t> sizes;
    for (std::size_t i = 0; i < node.huge_pages.size(); ++i) {
        const HugePagePool& pool = node.huge_pages[i];
        const std::string here = format("{}/huge_pages/{}", place, i);
        expect_page_size(sense, pool.page_bytes, here + "/page_bytes");
        sense.expect_new(sizes, pool.page_bytes, here + "/page_bytes", format_bytes(pool.page_bytes));
        if (pool.free > pool.total) sense.fault(here + "/free", format("{} are free of {}", pool.free, pool.total));
    }
}

void check_nodes(Sense& sense)
{
    const auto& nodes = sense.machine().numa;
    if (nodes.empty()) sense.fault("numa", "no NUMA node is listed");
    std::set<unsigned> ids;
    CpuSet taken;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const NumaNode& node = nodes[i];
        const std::string place = format("numa/{}", i);
        sense.expect_new(ids, node.id, place + "/id", format("NUMA node {}", node.id));
        sense.expect_online(node.cpus, place + "/cpus");
        sense.expect_free(taken, node.cpus, place + "/cpus");
        if (node.free_bytes > node.memory_bytes)
            sense.fault(place + "/free_bytes", format("{} are free of {}", node.free_bytes, node.memory_bytes));
        check_pools(sense, node, place);
    }
}

/// The node of a core has CPUs of it, and no other node has any.
void check_node_of_core(Sense& sense, const Core& core, const std::string& place)
{
    if (!sense.expect_node(core.numa, place + "/numa")) return;
    if (!core.numa || core.cpus.empty() || !sense.tells_nodes()) return;
    for (const NumaNode& node : sense.machine().numa) {
        const bool is_here = node.cpus.intersects(core.cpus);
        if (is_here && node.id != *core.numa)
            sense.fault(place + "/numa", format("it is {}, but CPUs {} of the core lie in NUMA node {}", *core.numa,
                                                to_string(node.cpus & core.cpus), node.id));
        else if (!is_here && node.id == *core.numa)
            sense.fault(place + "/numa", format("NUMA node {} has none of the CPUs {}", node.id, to_string(core.cpus)));
    }
}

void check_cores(Sense& sense)
{
    if (sense.machine().online.empty()) sense.fault("online", "no CPU is listed");
    CpuSet taken;
    for (std::size_t i = 0; i < sense.machine().cores.size(); ++i) {
        const Core& core = sense.machine().cores[i];
        const std::string place = format("cores/{}", i);
        sense.expect_online(core.cpus, place + "/cpus");
        sense.expect_free(taken, core.cpus, place + "/cpus");
        check_node_of_core(sense, core, place);
    }
}

void check_gpus(Sense& sense)
{
    std::set<unsigned> indices;
    std::set<PciAddress> addresses;
    std::set<std::string> uuids;
    for (std::size_t i = 0; i < sense.machine().gpus.size(); ++i) {
        const Gpu& gpu = sense.machine().gpus[i];
        const std::string place = format("gpus/{}", i);
        sense.expect_new(indices, gpu.index, place + "/index", format("GPU {}", gpu.index));
        sense.expect_new(addresses, gpu.pci, place + "/pci", to_string(gpu.pci));
        if (!gpu.uuid.empty()) sense.expect_new(uuids, gpu.uuid, place + "/uuid", printable(gpu.uuid, 60));
        expect_printable(sense, gpu.model, place + "/model");
        expect_printable(sense, gpu.uuid, place + "/uuid");
        if (gpu.sm_chunk > gpu.sms)
            sense.fault(place + "/sm_chunk", format("a slice has {} SMs at least, and the GPU {}", gpu.sm_chunk, gpu.sms));
        sense.expect_node(gpu.locality.numa, place + "/locality/numa");
    }
}

void check_disks(Sense& sense)
{
    std::set<std::string> names;
    for (std::size_t i = 0; i < sense.machine().disks.size(); ++i) {
        const Disk& disk = sense.machine().disks[i];
        const std::string place = format("disks/{}", i);
        sense.expect_new(names, disk.name, place + "/name", printable(disk.name, 60));
        sense.expect_node(disk.locality.numa, place + "/locality/numa");
        expect_printable(sense, disk.name, place + "/name");
        expect_printable(sense, disk.serial, place + "/serial");
        expect_printable(sense, disk.wwid, place + "/wwid");
        std::set<unsigned> queues;
        for (std::size_t queue = 0; queue < disk.queues.size(); ++queue)
            sense.expect_new(queues, disk.queues[queue].id, format("{}/queues/{}/id", place, queue),
                             format("queue {}", disk.queues[queue].id));
    }
}

void check_ports(Sense& sense)
{
    std::set<std::string> names;
    for (std::size_t i = 0; i < sense.machine().ports.size(); ++i) {
        const RdmaPort& port = sense.machine().ports[i];
        const std::string place = format("ports/{}", i);
        const std::string name = format("{}:{}", port.device, port.port);
        sense.expect_new(names, name, place + "/port", printable(name, 60));
        expect_printable(sense, port.device, place + "/device");
        sense.expect_node(port.locality.numa, place + "/locality/numa");
    }
}

void check_kernel(Sense& sense)
{
    const Kernel& kernel = sense.machine().kernel;
    expect_printable(sense, sense.machine().name, "name");
    expect_printable(sense, kernel.release, "kernel/release");
    for (std::size_t i = 0; i < kernel.huge_page_sizes.size(); ++i)
        expect_page_size(sense, kernel.huge_page_sizes[i], format("kernel/huge_page_sizes/{}", i));
}

} // namespace

Result<void> check_sense(const Machine& machine, const std::string& what)
{
    const std::size_t pointer = what.find(": /"); // the machine is a part of the text
    Sense sense(machine, pointer == std::string::npos ? "" : what.substr(pointer + 2));
    check_kernel(sense);
    check_nodes(sense);
    check_cores(sense);
    check_gpus(sense);
    check_disks(sense);
    check_ports(sense);
    if (sense.texts().empty()) return {};
    return failure(Code::json_member, format("{}: {}", what.substr(0, pointer), join(sense.texts(), "; ")));
}

} // namespace mscale::hal
