#include "spank/slurm_conf.hpp"

#include <algorithm>

#include "base/slurm_conf.hpp"
#include "base/text.hpp"

namespace mscale::spank {
namespace {

constexpr std::uint64_t infinite = 65534; // and beyond, as Slurm writes "unset" and "infinite"

} // namespace

std::optional<std::chrono::milliseconds> read_script_timeout(const std::string& path, Script script)
{
    std::optional<std::chrono::milliseconds> least;
    for (const char* key :
         {"PrologEpilogTimeout", script == Script::prolog ? "PrologTimeout" : "EpilogTimeout"}) {
        const auto values = read_slurm_conf(path, key);
        const auto seconds = values.empty() ? std::nullopt : parse_number(values.back());
        if (!seconds || *seconds == 0 || *seconds >= infinite) continue;
        const std::chrono::milliseconds timeout = std::chrono::seconds(*seconds);
        least = std::min(least.value_or(timeout), timeout);
    }
    return least;
}

} // namespace mscale::spank
