#include "daemon/failure/neighbours.hpp"

#include <algorithm>

namespace mscale::daemon {

namespace {

constexpr std::size_t reach = 4; // on each side

bool listens(std::size_t listener, std::size_t node, std::size_t count)
{
    if (listener == node) return false;
    const std::size_t ahead = (listener + count - node) % count;
    return listener == 0 || std::min(ahead, count - ahead) <= reach;
}

} // namespace

std::vector<std::string> list_listeners(const std::vector<std::string>& nodes, const std::string& node)
{
    const auto found = std::ranges::find(nodes, node);
    if (found == nodes.end()) return {};
    const auto at = static_cast<std::size_t>(found - nodes.begin());
    std::vector<std::string> listeners;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (listens(i, at, nodes.size())) listeners.push_back(nodes[i]);
    return listeners;
}

std::vector<std::string> list_watched(const std::vector<std::string>& nodes, const std::string& self)
{
    const auto found = std::ranges::find(nodes, self);
    if (found == nodes.end()) return {};
    const auto at = static_cast<std::size_t>(found - nodes.begin());
    std::vector<std::string> watched;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (listens(at, i, nodes.size())) watched.push_back(nodes[i]);
    return watched;
}

} // namespace mscale::daemon
