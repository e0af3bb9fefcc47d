#include "cli/run/choose_nodes.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace mscale::cli {
namespace {

bool holds(const std::vector<std::string>& nodes, const std::string& node)
{
    return std::ranges::find(nodes, node) != nodes.end();
}

/// What is taken first: a node with snapshots, then one without, then one that is blamed.
int rank_of(const NodeQuestion& question, const std::string& node)
{
    if (question.blamed.contains(node)) return 2;
    return holds(question.last_run, node) ? 0 : 1;
}

} // namespace

Result<std::vector<std::string>> choose_nodes(const NodeQuestion& question)
{
    std::vector<std::string> live;
    for (const std::string& node : question.nodes)
        if (!question.gone.contains(node)) live.push_back(node);
    if (live.size() < question.wanted)
        return failure(Code::node_silent,
                       format("{} nodes are needed and {} left: {}", question.wanted,
                              live.size() == 1 ? "1 is" : format("{} are", live.size()), join(live, ", ")),
                       "ask for more spares with ft.spares");
    std::vector<std::string> chosen = live;
    std::ranges::stable_sort(chosen, {},
                             [&question](const std::string& node) { return rank_of(question, node); });
    chosen.resize(question.wanted);
    std::erase_if(live, [&chosen](const std::string& node) { return !holds(chosen, node); });
    return live;
}

} // namespace mscale::cli
