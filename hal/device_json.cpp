#include "hal/device_json.hpp"

#include "hal/json_reader.hpp"

namespace mscale::hal {
namespace {

Json address_or_null(const std::optional<PciAddress>& address)
{
    return address ? Json(to_string(*address)) : Json(nullptr);
}

Json to_json(const Locality& locality)
{
    return {{"numa", json_of(locality.numa)},
            {"cpus", to_string(locality.cpus)},
            {"pci_root", locality.pci_root},
            {"bridges",
             json_list(locality.bridges, [](const PciAddress& bridge) { return Json(to_string(bridge)); })},
            {"source", locality.source}};
}

Result<Locality> read_locality(const Json& json, const std::string& what)
{
    JsonReader reader(json, what);
    Locality locality;
    reader.read("numa", locality.numa);
    reader.read("cpus", locality.cpus);
    reader.read("pci_root", locality.pci_root);
    reader.read("bridges", locality.bridges);
    reader.read("source", locality.source);
    return reader.end(std::move(locality));
}

Result<DiskQueue> read_queue(const Json& json, const std::string& what)
{
    JsonReader reader(json, what);
    DiskQueue queue;
    reader.read("id", queue.id);
    reader.read("cpus", queue.cpus);
    return reader.end(std::move(queue));
}

Result<Gid> read_gid(const Json& json, const std::string& what)
{
    JsonReader reader(json, what);
    Gid gid;
    reader.read("index", gid.index);
    reader.read("address", gid.address);
    reader.read("type", gid.type);
    reader.read("netdev", gid.netdev);
    return reader.end(std::move(gid));
}

Json to_json(const DiskQueue& queue)
{
    return {{"id", queue.id}, {"cpus", to_string(queue.cpus)}};
}

Json to_json(const Gid& gid)
{
    return {{"index", gid.index}, {"address", gid.address}, {"type", gid.type}, {"netdev", gid.netdev}};
}

} // namespace

Json to_json(const Gpu& gpu)
{
    return {{"index", gpu.index},
            {"minor", json_of(gpu.minor)},
            {"uuid", gpu.uuid},
            {"model", gpu.model},
            {"pci", to_string(gpu.pci)},
            {"sms", gpu.sms},
            {"sm_chunk", gpu.sm_chunk},
            {"sm_source", gpu.sm_source},
            {"memory_bytes", gpu.memory_bytes},
            {"compute_capability", gpu.compute_capability},
            {"abilities", gpu.abilities},
            {"mig", gpu.mig},
            {"locality", to_json(gpu.locality)}};
}

Result<Gpu> read_gpu(const Json& json, const std::string& what)
{
    JsonReader reader(json, what);
    Gpu gpu;
    reader.read("index", gpu.index);
    reader.read("minor", gpu.minor);
    reader.read("uuid", gpu.uuid);
    reader.read("model", gpu.model);
    reader.read("pci", gpu.pci);
    reader.read("sms", gpu.sms);
    reader.read("sm_chunk", gpu.sm_chunk);
    reader.read("sm_source", gpu.sm_source);
    reader.read("memory_bytes", gpu.memory_bytes);
    reader.read("compute_capability", gpu.compute_capability);
    reader.read("abilities", gpu.abilities);
    reader.read("mig", gpu.mig);
    reader.read_object("locality", gpu.locality, read_locality);
    return reader.end(std::move(gpu));
}

Json to_json(const Disk& disk)
{
    return {{"name", disk.name},
            {"kind", disk.kind},
            {"serial", disk.serial},
            {"wwid", disk.wwid},
            {"pci", address_or_null(disk.pci)},
            {"nr_requests", disk.nr_requests},
            {"queues", json_list(disk.queues, [](const DiskQueue& queue) { return to_json(queue); })},
            {"queue_count", disk.queue_count},
            {"rotational", disk.rotational},
            {"zoned", disk.zoned},
            {"write_cache", json_of(disk.write_cache)},
            {"partitions", disk.partitions},
            {"locality", to_json(disk.locality)}};
}

Result<Disk> read_disk(const Json& json, const std::string& what)
{
    JsonReader reader(json, what);
    Disk disk;
    reader.read("name", disk.name);
    reader.read("kind", disk.kind);
    reader.read("serial", disk.serial);
    reader.read("wwid", disk.wwid);
    reader.read("pci", disk.pci);
    reader.read("nr_requests", disk.nr_requests);
    reader.read_each("queues", disk.queues, read_queue);
    reader.read("queue_count", disk.queue_count);
    reader.read("rotational", disk.rotational);
    reader.read("zoned", disk.zoned);
    reader.read("write_cache", disk.write_cache);
    reader.read("partitions", disk.partitions);
    reader.read_object("locality", disk.locality, read_locality);
    return reader.end(std::move(disk));
}

Json to_json(const RdmaPort& port)
{
    return {{"device", port.device},
            {"port", port.port},
            {"link_layer", port.link_layer},
            {"state", port.state},
            {"phys_state", port.phys_state},
            {"rate_gbps", port.rate_gbps},
            {"gids", json_list(port.gids, [](const Gid& gid) { return to_json(gid); })},
            {"netdevs", port.netdevs},
            {"pci", address_or_null(port.pci)},
            {"locality", to_json(port.locality)}};
}

Result<RdmaPort> read_port(const Json& json, const std::string& what)
{
    JsonReader reader(json, what);
    RdmaPort port;
    reader.read("device", port.device);
    reader.read("port", port.port);
    reader.read("link_layer", port.link_layer);
    reader.read("state", port.state);
    reader.read("phys_state", port.phys_state);
    reader.read("rate_gbps", port.rate_gbps);
    reader.read_each("gids", port.gids, read_gid);
    reader.read("netdevs", port.netdevs);
    reader.read("pci", port.pci);
    reader.read_object("locality", port.locality, read_locality);
    return reader.end(std::move(port));
}

} // namespace mscale::hal
