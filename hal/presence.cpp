#include "hal/presence.hpp"

#include "base/text.hpp"
#include "hal/sysfs.hpp"

namespace mscale::hal {

std::string read_port_state(const Root& root, const std::string& port)
{
    const std::size_t colon = port.find(':');
    const std::string number = colon == std::string::npos ? "1" : port.substr(colon + 1);
    const std::string text =
        read_text(root, format("/sys/class/infiniband/{}/ports/{}/state", port.substr(0, colon), number));
    return std::string(trim(std::string_view(text).substr(text.find(':') + 1))); // "4: ACTIVE"
}

bool has_disk(const Root& root, const std::string& name, const std::string& serial)
{
    const std::string path = "/sys/block/" + name;
    if (!root.exists(path + "/device")) return false;
    std::string found = read_text(root, path + "/device/serial");
    if (found.empty()) found = read_text(root, path + "/serial");
    return found.empty() || serial.empty() || found == serial;
}

} // namespace mscale::hal
