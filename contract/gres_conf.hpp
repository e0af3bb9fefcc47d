#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hal/machine.hpp"

/// Slurm's view of a machine as lines of gres.conf and slurm.conf, and a check of lines that somebody else
/// wrote.
namespace mscale::contract {

/// Lines for the two files.
struct GresLines {
    std::vector<std::string> gres_conf;
    std::vector<std::string> slurm_conf;
    std::vector<std::string>
        notes; ///< what the administrator must know: devices that can't be sliced and why
};

/// The lines of the nodes `nodes` (a Slurm host list): each GPU by its device file and, near a known NUMA
/// node, the cores there in Slurm's numbering; each chunk of SMs as one `gres_name` with a File of its own
/// below `slice_directory`. Nothing in them depends on AutoDetect.
GresLines make_gres_lines(const hal::Machine& machine, std::string_view nodes, std::string_view gres_name,
                          std::string_view slice_directory);

/// CPUs of the kernel as Slurm's abstract core numbers: positions in Machine::cores.
CpuSet to_core_ids(const hal::Machine& machine, const CpuSet& cpus);

/// What is wrong with one line of gres.conf on this machine, with the cure; nothing when it is right or of no
/// concern. Finds CPU numbers where core numbers belong, cores that don't exist, and AutoDetect where GPUs
/// lie in parts of a socket.
std::optional<std::string> check_gres_line(const hal::Machine& machine, std::string_view line);

} // namespace mscale::contract
