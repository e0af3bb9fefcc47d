#include "hal/hwloc_reader.hpp"
#include "hal/probe.hpp"

namespace mscale::hal {

std::optional<std::vector<CpuSet>> read_core_order()
{
    return {};
}

Result<Machine> read_hwloc_xml(const std::string&, const std::string& path)
{
    return failure(Code::machine_file, path + ": this mscale was built without hwloc and reads no hwloc XML",
                   "give the JSON of `mscale topology --json`, or build mscale with hwloc");
}

} // namespace mscale::hal
