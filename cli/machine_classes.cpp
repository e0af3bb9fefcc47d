#include "cli/machine_classes.hpp"

#include <algorithm>

namespace mscale::cli {

using hal::MachineClass;

namespace {

void sort_nodes(std::vector<std::string>& nodes)
{
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

void join_known(MachineClass& found, const hal::Inventory& known, bool is_named, bool has_nodes)
{
    const auto is_same = [&](const MachineClass& other) {
        return is_named ? other.name == found.name : hal::is_same_class(other.machine, found.machine);
    };
    const auto same = std::ranges::find_if(known.classes, is_same);
    if (same == known.classes.end()) return;
    found.name = same->name;
    if (!(is_named && has_nodes)) found.nodes.insert(found.nodes.end(), same->nodes.begin(), same->nodes.end());
}

} // namespace

PlacedClass place_class(MachineClass found, const hal::Inventory& known, bool is_named, bool has_nodes)
{
    join_known(found, known, is_named, has_nodes);
    sort_nodes(found.nodes);
    PlacedClass result{std::move(found), {}, {}};
    for (MachineClass other : known.classes) {
        if (other.name == result.placed.name) continue;
        const auto lost = std::erase_if(other.nodes, [&](const std::string& node) {
            return std::ranges::binary_search(result.placed.nodes, node);
        });
        if (lost == 0) continue;
        if (other.nodes.empty())
            result.emptied.push_back(other.name);
        else
            result.shrunk.push_back(std::move(other));
    }
    return result;
}

} // namespace mscale::cli
