#include "daemon/mscaled/part_book.hpp"

#include <algorithm>

namespace mscale::daemon {

namespace {

bool is_among(const std::vector<PartFinding>& findings, const Part& part)
{
    return std::ranges::find(findings, part, &PartFinding::part) != findings.end();
}

} // namespace

bool PartBook::is_known(const Part& part) const
{
    return is_among(undecided_, part) || std::ranges::find(lost_, part, &LostPart::part) != lost_.end();
}

PartBook::Outcome PartBook::look(const std::vector<PartFinding>& findings, Time now)
{
    Outcome outcome;
    const auto left = [&findings](const auto& entry) { return !is_among(findings, entry.part); };
    outcome.mended = std::erase_if(lost_, left) > 0;
    std::erase_if(undecided_, left);
    std::vector<PartFinding> suspected;
    for (const PartFinding& finding : findings) {
        if (finding.found.empty() || is_known(finding.part)) continue;
        const bool again = finding.certain || is_among(suspected_, finding.part);
        (again ? outcome.gone : suspected).push_back(finding);
        if (again) undecided_.push_back(finding);
    }
    outcome.confirm = !suspected.empty();
    if (suspected.empty() && outcome.gone.empty()) whole_ = now;
    suspected_ = std::move(suspected);
    return outcome;
}

const LostPart* PartBook::decide(const PartFinding& gone, const std::string& other, Time now,
                                 std::optional<std::uint32_t> step)
{
    if (std::erase(undecided_, gone) == 0) return nullptr;
    for (LostPart& earlier : lost_) // a port that stood in for another, until now
        if (earlier.way == WayBack::reroute && earlier.other == gone.part.name) earlier.other = other;
    lost_.push_back({gone.part, gone.found, other, choose_way_back(gone.part.kind, other),
                     whole_.count() > 0 ? whole_ : now, now, step});
    return &lost_.back();
}

} // namespace mscale::daemon
