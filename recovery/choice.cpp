#include "recovery/choice.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace mscale::recovery {
namespace {

std::vector<CommitRecord> newest_first(std::vector<CommitRecord> records)
{
    std::ranges::sort(records, is_newer);
    records.erase(std::unique(records.begin(), records.end()), records.end());
    return records;
}

std::vector<std::vector<HeldCopy>> sources_of(const CommitRecord& record, const std::vector<HeldCopy>& copies)
{
    std::vector<std::vector<HeldCopy>> sources(record.ranks);
    for (const HeldCopy& copy : copies)
        if (is_of(record, copy) && copy.tier != Tier::coded)
            sources[copy.rank].push_back(copy);
    for (auto& of_rank : sources) std::ranges::stable_sort(of_rank, {}, &HeldCopy::tier);
    return sources;
}

std::map<std::uint32_t, RebuildPlan> find_rebuilds(const CommitRecord& record, const std::vector<HeldCopy>& copies,
                                                   const std::vector<std::vector<HeldCopy>>& sources)
{
    std::map<std::uint32_t, RebuildPlan> rebuilds;
    for (std::uint32_t rank = 0; rank < sources.size(); ++rank) {
        if (!sources[rank].empty() && sources[rank].front().tier == Tier::memory) continue;
        if (auto plan = find_rebuild(record, copies, rank)) rebuilds.emplace(rank, std::move(*plan));
    }
    return rebuilds;
}

/// "epoch 12: no copy of rank 3", or "" when every rank has one, or is rebuilt.
std::string find_gap(const CommitRecord& record, const RestoreChoice& choice)
{
    const auto& sources = choice.sources;
    std::vector<std::string> missing;
    for (std::uint32_t rank = 0; rank < sources.size(); ++rank)
        if (sources[rank].empty() && !choice.rebuilds.contains(rank)) missing.push_back(std::to_string(rank));
    if (missing.empty()) return {};
    const std::size_t count = missing.size();
    if (count > 8) missing.resize(8);
    return format("epoch {} (step {}): no copy of rank {}{}", record.epoch, record.step, join(missing, ", "),
                  count > 8 ? ", …" : "");
}

} // namespace

Result<RestoreChoice> choose_restore(const std::vector<CommitRecord>& records,
                                     const std::vector<HeldCopy>& copies)
{
    RestoreChoice choice;
    for (const CommitRecord& record : newest_first(records)) {
        choice.sources = sources_of(record, copies);
        choice.rebuilds = find_rebuilds(record, copies, choice.sources);
        choice.record = record;
        const std::string gap = find_gap(record, choice);
        if (gap.empty()) return choice;
        choice.passed_over.push_back(gap);
    }
    return failure(Code::no_snapshot, records.empty() ? "no epoch of the job was ever committed"
                                                      : join(choice.passed_over, "; "));
}

} // namespace mscale::recovery
