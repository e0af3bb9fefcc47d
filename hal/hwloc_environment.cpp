#include <cstdlib>
#include <string>
#include <vector>

#include <unistd.h>

#include "hal/hwloc_reader.hpp"

namespace mscale::hal {

void forget_hwloc_environment()
{
    std::vector<std::string> names;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string variable = *entry;
        if (variable.starts_with("HWLOC_")) names.push_back(variable.substr(0, variable.find('=')));
    }
    for (const std::string& name : names) ::unsetenv(name.c_str());
}

} // namespace mscale::hal
