#include "daemon/mscaled/drain.hpp"

#include <algorithm>

#include <unistd.h>

#include "base/files.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace mscale::daemon {

namespace {
constexpr std::uint64_t contradictions_borne = 2; // in a row; the third drains

bool enforces_somewhere(const contract::Site& site)
{
    const auto enforces = [](const auto& partition) { return partition.second == contract::Mode::enforce; };
    return site.mode == contract::Mode::enforce || std::ranges::any_of(site.partition_modes, enforces);
}

} // namespace

std::string contradictions_path(const contract::Site& site)
{
    return site.state + "/contradictions";
}

std::optional<std::string> find_node_fault(const contract::Site& site)
{
    if (!enforces_somewhere(site)) return std::nullopt;
    if (access(site.node_program.c_str(), X_OK) != 0)
        return format("mscale: {} is missing", site.node_program);
    const auto text = read_file(contradictions_path(site));
    const auto count = text ? parse_number(trim(*text)) : std::nullopt;
    if (!count || *count <= contradictions_borne) return std::nullopt;
    return format("mscale: {} applies in a row contradict the inventory", *count);
}

void Drain::check()
{
    const auto fault = find_node_fault(site_);
    if (!fault) told_.clear();
    if (!fault || told_ == *fault || cluster_.self().empty()) return;
    told_ = *fault;
    slurm_.run<Result<void>>([node = cluster_.self(), reason = *fault] { return drain_node(node, reason); },
                             [this, reason = *fault](const Result<void>& drained) {
                                 if (drained)
                                     return log_line(Level::error, "this node was set to DRAIN: " + reason);
                                 log_error("this node should be drained", drained.error());
                                 told_.clear();
                             });
}

} // namespace mscale::daemon
