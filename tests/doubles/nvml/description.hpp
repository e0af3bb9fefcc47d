#pragma once

#include <string>
#include <vector>

// What the NVML double tells, read from a text file:
//
//     driver = 570.00                 # optional; the double appends that it is one
//     [gpu]                           # one section a GPU, in NVML's order
//     name = NVIDIA H100 80GB HBM3
//     uuid = GPU-…
//     pci = 00000000:1B:00.0
//     minor = 0
//     memory_mib = 81559
//     capability = 9.0
//     cores = 16896                   # CUDA cores: 132 SMs of 128
//     node = 1                        # optional: the NUMA node near the GPU
//     cpus = 2-3                      # optional: the CPUs near the GPU
//     mig = no
//     xid = 79                        # optional: an event of this Xid, once, when the line comes while the double is open
//     lost = yes                      # optional: it has fallen off the bus
//
// A key that is left out makes the double answer "not supported", as NVML does.
namespace mscale::doubles {

struct Gpu {
    std::string name, uuid, pci, minor, memory_mib, capability, cores, node, cpus, mig, xid, lost;
};

struct Description {
    std::string driver = "0";
    std::vector<Gpu> gpus;
};

/// Reads the file; throws std::runtime_error with the line that is wrong.
Description read_description(const std::string& path);

/// The numbers of a list as "0-3,8".
std::vector<unsigned> read_list(const std::string& text);

} // namespace mscale::doubles
