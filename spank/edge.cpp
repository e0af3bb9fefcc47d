#include "spank/edge.hpp"

#include <cstdio>

#include "base/text.hpp"

namespace mscale::spank {

void tell_lines(Slurm& slurm, Level level, const std::string& text)
{
    for (const auto line : split(text, '\n'))
        if (!trim(line).empty()) slurm.tell(level, ("mscale: " + std::string(line)).c_str());
}

void report_exception(Slurm& slurm, const char* hook, const char* what) noexcept
{
    char line[512];
    std::snprintf(line, sizeof line, "mscale: %s failed inside: %s; tell the administrator", hook, what);
    slurm.tell(Level::error, line);
}

} // namespace mscale::spank
