#include "cli/refused_view.hpp"

#include <chrono>

#include "base/text.hpp"
#include "cli/output.hpp"
#include "contract/nearest_text.hpp"

namespace mscale::cli {
namespace {

constexpr std::chrono::seconds longest_search{5};

} // namespace

std::optional<contract::Contract> seek_nearest(const contract::Contract& contract, const contract::Question& question,
                                               const contract::Verdict& verdict)
{
    if (verdict.honoured()) return std::nullopt;
    auto nearest = contract::nearest_contract_within(longest_search, contract, question);
    if (nearest.cut_short) remark("the search for the nearest contract ended without one: there may be one");
    return std::move(nearest.contract);
}

std::string tell_refused(const contract::Contract& contract, const contract::Verdict& verdict,
                         const std::optional<contract::Contract>& nearest, const hal::Machine& machine)
{
    std::string text =
        format("refused on {} ({})\n{}", machine.name, machine.origin, contract::to_text(verdict.refusals));
    if (!text.ends_with('\n')) text += '\n';
    if (nearest)
        text += format("nearest: {}\n{}\n", contract::quote_word(to_canonical(*nearest)),
                       contract::describe_changes(contract, *nearest));
    return text;
}

} // namespace mscale::cli
