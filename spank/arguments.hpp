#pragma once

#include <string>
#include <vector>

#include "base/log.hpp"

namespace mscale::spank {

/// What stands behind the plugin's path in plugstack.conf.
struct Arguments {
    std::string config;              ///< config=PATH; "" : the default of contract::read_site
    Level level = Level::info;       ///< log=error|info|debug
    std::vector<std::string> faults; ///< words that are none of these; only clients complain about them
};

Arguments parse_arguments(int count, char** words);

} // namespace mscale::spank
