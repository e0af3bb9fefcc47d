#pragma once

#include <string>

#include "base/files.hpp"
#include "hal/machine.hpp"

namespace mscale::hal {

/// How to read a machine.
struct ProbeOptions {
    Root root;
    std::string nvml_library; ///< path of an NVML library; "" : libnvidia-ml.so.1 where there is a driver;
                              ///< only for "/"
};

/// Reads this system, or a copied tree.  A device that can't be read whole is left out and named in `notes`;
/// an error only when CPUs or NUMA nodes can't be had.  Clears hwloc's environment variables (HWLOC_XMLFILE,
/// …) from the process first.
Result<Machine> probe_machine(const ProbeOptions& options);

/// The machine of an hwloc XML 2.x text, which was read from `path`.  XML 3.0 is refused with both versions named.
Result<Machine> read_hwloc_xml(const std::string& text, const std::string& path);

/// Reads a machine's file by its content: JSON of ours or hwloc XML.  It may be a pipe: it is read once.
Result<Machine> read_machine_file(const std::string& path);

} // namespace mscale::hal
