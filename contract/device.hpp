#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/contract.hpp"
#include "hal/machine.hpp"

/// How the verdict speaks of devices and tells which of them lie together.
namespace mscale::contract {

std::string describe(const hal::Gpu& gpu);       ///< "GPU 0 (0000:1b:00.0)"
std::string describe(const hal::Disk& disk);     ///< "nvme0n1 (serial S4X)"
std::string describe(const hal::RdmaPort& port); ///< "mlx5_0:1"
/// "2 cores (4 CPUs: 0-1,48-49)"
std::string describe_cores(std::size_t cores, const CpuSet& cpus);

/// "NUMA node 1", or "an unknown place".
std::string describe_place(const hal::Locality& locality);

/// True when the GPU's model holds the word, in either case: "h100" names an "NVIDIA H100 80GB HBM3".
bool is_model(const hal::Gpu& gpu, std::string_view word);

/// "NVIDIA H100 80GB HBM3" -> "h100": the first word that begins with a letter and holds a digit, in lower
/// case; the whole model when there is none.
std::string model_word(const std::string& model);

/// The devices that a short address may mean, each address once.
std::vector<hal::PciAddress> find_devices(const hal::Machine& machine, const ShortPciAddress& address);

/// The root bus that "0000:81" means: itself, or the root of the device with that bus.
std::optional<std::string> find_pci_root(const hal::Machine& machine, std::string_view domain_and_bus);

/// The devices below an unknown root complex: which bus they share with others can't be told.
std::vector<hal::PciAddress> list_unrooted(const hal::Machine& machine);

/// How near two devices lie: 0 not at all or unknown, then same NUMA node, same root complex, then one more
/// for each bridge that they share.
unsigned nearness(const hal::Locality& a, const hal::Locality& b);

} // namespace mscale::contract
