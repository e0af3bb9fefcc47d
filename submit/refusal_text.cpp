#include "submit/refusal_text.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "contract/nearest_text.hpp"

namespace mscale::submit {

namespace {

std::string tell_class(const JudgedClass& judged)
{
    return format("{} ({} node{})", judged.candidates->machine_class->name, judged.candidates->nodes.size(),
                  judged.candidates->nodes.size() == 1 ? "" : "s");
}

/// One line for each refusing class but the one that was told in full.
std::string tell_other_classes(const Judgement& judgement, const JudgedClass* told)
{
    std::string lines;
    for (const JudgedClass& judged : judgement.refusing) {
        if (&judged == told) continue;
        lines += "\nclass " + tell_class(judged) + " refuses too:";
        for (const contract::Refusal& refusal : judged.ruling->refusals)
            lines += format(" {} {}", entry_of(refusal.code).id, refusal.clause);
    }
    return lines;
}

std::string tell_unknown(const std::vector<std::string>& nodes)
{
    if (nodes.empty()) return "";
    const CodeEntry& entry = entry_of(Code::inventory_node);
    return format("\n{} {} node{} of the partition in no class of the inventory (first: {}): {}", entry.id,
                  nodes.size(), nodes.size() == 1 ? " is" : "s are", nodes.front(), entry.cure);
}

std::string strip_end(std::string text)
{
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

} // namespace

std::string tell_faults(const Faults& faults)
{
    return "mscale: the contract can't be read\n" + strip_end(to_text(faults));
}

std::string tell_error(const Error& error)
{
    return "mscale: " + to_line(error);
}

std::string tell_refusals(const std::vector<contract::Refusal>& refusals)
{
    return "mscale: the contract is refused\n" + strip_end(contract::to_text(refusals));
}

std::string tell_machines(const Judgement& judgement, std::size_t needed)
{
    const std::size_t suitable = judgement.count_suitable();
    std::string text =
        format("mscale: the contract is refused: {} of the {} nodes needed can honour it in partition {}",
               suitable, needed, join(judgement.partitions, ","));
    const JudgedClass* nearest = judgement.nearest_refusing();
    if (nearest)
        text += "\nclass " + tell_class(*nearest) + " answers:\n" +
                strip_end(contract::to_text(nearest->ruling->refusals));
    return text + tell_other_classes(judgement, nearest) + tell_unknown(judgement.candidates->unknown);
}

std::string tell_required_node(const Judgement& judgement, const std::string& node)
{
    const std::string text =
        format("mscale: the contract is refused: the job requires node {}, which", printable(node));
    if (const JudgedClass* judged = judgement.find_refusing(node))
        return text + " answers:\n" + strip_end(contract::to_text(judged->ruling->refusals));
    const auto& unknown = judgement.candidates->unknown;
    if (std::find(unknown.begin(), unknown.end(), node) != unknown.end())
        return text + " is in no class of the inventory; " + std::string(entry_of(Code::inventory_node).cure);
    return text +
           " isn't among the nodes of the partition that can share one request with the others; leave -w out";
}

std::string tell_nearest(const NearestText& nearest)
{
    if (!nearest.canonical.empty())
        return format("\nnearest: {}\n{}", contract::quote_word("--mscale-contract=" + nearest.canonical),
                      nearest.changes);
    return nearest.cut_short ? "\nno nearest contract was found in the time that the controller can spare: "
                               "`mscale check` searches on"
                             : "";
}

std::string bound_message(std::string message, const std::string& last)
{
    if (message.size() + last.size() <= message_limit) return message + last;
    const std::string cut = "\n(more follows: `mscale check` shows all)" + last;
    const std::size_t limit = message_limit - std::min(message_limit, cut.size());
    const std::size_t end = message.rfind('\n', limit);
    message.resize(end == std::string::npos ? std::min(limit, message.size()) : end);
    return message + cut;
}

} // namespace mscale::submit
