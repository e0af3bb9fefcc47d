#include "gres/slice_lines.hpp"

#include <set>

namespace mscale::gres {

namespace {

const std::string cure = "; write the lines that `mscale inventory --gres-conf` prints";

std::string find_fault_of_line(const SliceLine& line, std::set<std::string>& seen)
{
    if (line.files.empty())
        return "gres.conf gives " + std::to_string(line.count) +
               " slices without File=, so nobody could tell them apart" + cure;
    if (line.files.size() != line.count)
        return "gres.conf gives " + std::to_string(line.count) + " slices with " +
               std::to_string(line.files.size()) + " files (first: " + line.files.front() +
               "), but each slice has one" + cure;
    for (const std::string& file : line.files)
        if (!seen.insert(file).second) return "gres.conf names " + file + " for two slices" + cure;
    return "";
}

} // namespace

std::string find_fault(const std::vector<SliceLine>& lines)
{
    std::set<std::string> seen;
    for (const SliceLine& line : lines)
        if (std::string fault = find_fault_of_line(line, seen); !fault.empty()) return fault;
    return "";
}

} // namespace mscale::gres
