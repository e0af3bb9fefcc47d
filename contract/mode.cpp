#include "contract/mode.hpp"

namespace mscale::contract {

std::string_view to_string(Mode mode)
{
    switch (mode) {
    case Mode::off: return "off";
    case Mode::observe: return "observe";
    case Mode::enforce: return "enforce";
    }
    return "off";
}

std::optional<Mode> parse_mode(std::string_view word)
{
    for (const Mode mode : {Mode::off, Mode::observe, Mode::enforce})
        if (word == to_string(mode)) return mode;
    return std::nullopt;
}

Mode mode_of(const Site& site, std::string_view partition)
{
    const auto own = site.partition_modes.find(std::string(partition));
    return own == site.partition_modes.end() ? site.mode : own->second;
}

} // namespace mscale::contract
