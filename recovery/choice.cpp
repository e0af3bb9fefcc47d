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
        if (copy.incarnation == record.incarnation && copy.epoch == record.epoch &&
            copy.step == record.step && copy.rank < record.ranks)
            sources[copy.rank].push_back(copy);
    for (auto& of_rank : sources) std::ranges::stable_sort(of_rank, {}, &HeldCopy::tier);
    return sources;
}

/// "epoch 12: no copy of rank 3", or "" when every rank has one.
std::string find_gap(const CommitRecord& record, const std::vector<std::vector<HeldCopy>>& sources)
{
    std::vector<std::string> missing;
    for (std::size_t rank = 0; rank < sources.size(); ++rank)
        if (sources[rank].empty()) missing.push_back(std::to_string(rank));
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
        choice.record = record;
        const std::string gap = find_gap(record, choice.sources);
        if (gap.empty()) return choice;
        choice.passed_over.push_back(gap);
    }
    return failure(Code::no_snapshot, records.empty() ? "no epoch of the job was ever committed"
                                                      : join(choice.passed_over, "; "));
}

} // namespace mscale::recovery
