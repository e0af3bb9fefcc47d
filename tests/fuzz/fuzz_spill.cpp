// Any names in a spill directory, and any answer about one: a name that is read is the one that would be written, nothing
// newer than the second newest whole epoch is removed, and a list that is read has its ranks in bounds.
#include <algorithm>

#include "base/json.hpp"
#include "base/text.hpp"
#include "recovery/spill_file.hpp"
#include "tests/fuzz/property.hpp"

using namespace mscale;
using namespace mscale::recovery;

namespace {

constexpr std::uint32_t job = 7;

void check_names(const std::vector<std::string>& names)
{
    std::vector<CommitRecord> whole;
    for (const std::string& name : names) {
        const auto file = parse_snapshot(name, job);
        require(!file || (name_snapshot(*file) == name && file->rank < file->record.ranks), "a snapshot has one name");
        const auto manifest = parse_manifest(name, job);
        require(!manifest || name_manifest(*manifest) == name, "a manifest has one name");
        if (manifest) whole.push_back(*manifest);
    }
    const auto pruned = choose_pruned(names, job);
    require(pruned.empty() || whole.size() >= 2, "two whole epochs stay");
    for (const std::string& name : pruned)
        if (const auto file = parse_snapshot(name, job))
            require(std::ranges::count_if(whole, [&](const auto& record) { return is_newer(record, file->record); }) >= 2,
                    "what is removed is older than two whole epochs");
}

void check_lists(const std::vector<std::string>& names)
{
    for (const SpilledEpoch& epoch : list_spilled(names, job)) {
        std::vector<std::uint32_t> ranks = epoch.ranks;
        ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end()); // the same name twice is the fuzzer's
        const auto read = spilled_from_json(to_json(SpilledEpoch{epoch.record, ranks}), "x");
        require(read.has_value() && read->ranks == ranks && read->record == epoch.record, "a list reads back");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string text(reinterpret_cast<const char*>(data), size);
    std::vector<std::string> names;
    for (const std::string_view line : split(text, '\n')) names.emplace_back(line);
    check_names(names);
    check_lists(names);
    const auto json = parse_json(text, "x");
    const auto epoch = json ? spilled_from_json(*json, "x") : tl::unexpected(json.error());
    if (!epoch) return 0;
    require(epoch->ranks.size() <= epoch->record.ranks, "no more ranks than there are");
    require(spilled_from_json(to_json(*epoch), "x") == *epoch, "a list has one meaning");
    return 0;
}
