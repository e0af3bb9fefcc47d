#include "daemon/node/contradictions.hpp"

#include <algorithm>
#include <array>

#include <unistd.h>

#include "base/files.hpp"
#include "base/text.hpp"

namespace mscale::node {
namespace {

constexpr std::array machine_facts = {Code::no_such_cpu,      Code::too_few_cores,    Code::no_such_numa,
                                      Code::far_device,       Code::unknown_locality, Code::no_such_gpu,
                                      Code::gpu_model,        Code::too_few_sms,      Code::huge_page_size,
                                      Code::no_such_disk,     Code::io_depth,         Code::pcie_domain,
                                      Code::no_such_port,     Code::port_down,        Code::missing_ability,
                                      Code::core_spans_nodes, Code::machine_state,    Code::isolation};

} // namespace

bool contradicts_inventory(Code code)
{
    return std::ranges::find(machine_facts, code) != machine_facts.end();
}

std::vector<contract::Refusal> refusals_of_machine(const contract::Contract& contract,
                                                   const contract::Question& question,
                                                   const std::vector<contract::Refusal>& refusals)
{
    if (refusals.empty() || question.allocation.sm_slices.empty()) return refusals;
    contract::Question without = question;
    without.allocation.sm_slices.clear();
    return contract::verify(contract, without).refusals;
}

Result<void> count_contradiction(const contract::Site& site, const std::vector<contract::Refusal>& refusals)
{
    const std::string path = site.state + "/contradictions";
    const bool contradicted = std::ranges::any_of(
        refusals, [](const contract::Refusal& refusal) { return contradicts_inventory(refusal.code); });
    if (!contradicted) {
        if (::unlink(path.c_str()) != 0 && errno != ENOENT)
            return os_failure(Code::node_act, "remove " + path, errno);
        return {};
    }
    const auto text = read_file(path, 64);
    const auto before = text ? parse_number(trim(*text)) : std::nullopt;
    return replace_file(path, format("{}\n", before.value_or(0) + 1), 0600);
}

} // namespace mscale::node
