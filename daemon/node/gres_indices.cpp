#include "base/cpu_set.hpp"
#include "base/text.hpp"
#include "daemon/node/slurm.hpp"

namespace mscale::node {

Result<std::vector<unsigned>> read_gres_indices(const std::string& detail, const std::string& gres)
{
    constexpr std::string_view opening = "(IDX:";
    std::string_view rest = detail;
    while (!rest.empty()) {
        const std::size_t begin = rest.find(opening), end = rest.find(')');
        if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) break;
        if (rest.starts_with(gres + ":") || rest.starts_with(gres + "(")) {
            const std::size_t first = begin + opening.size();
            return parse_cpu_list(rest.substr(first, end - first)).map([](const CpuSet& indices) {
                return indices.cpus();
            });
        }
        rest.remove_prefix(end + 1);
        if (rest.starts_with(',')) rest.remove_prefix(1);
    }
    return std::vector<unsigned>();
}

} // namespace mscale::node
