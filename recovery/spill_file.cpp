#include "recovery/spill_file.hpp"

#include <algorithm>
#include <limits>

#include "base/json.hpp"
#include "base/text.hpp"

namespace mscale::recovery {
namespace {

constexpr std::string_view snapshot_end = ".snapshot", manifest_end = ".json", unfinished_end = ".part";
constexpr std::size_t kept_epochs = 2;

/// Takes `before` and the number after it off the front of the name.
template <class T> bool take_number(std::string_view& name, std::string_view before, T& number)
{
    if (!name.starts_with(before)) return false;
    name.remove_prefix(before.size());
    const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
    const auto read = parse_number(name.substr(0, digits));
    if (!read || *read > std::numeric_limits<T>::max()) return false;
    number = static_cast<T>(*read);
    name.remove_prefix(digits);
    return true;
}

bool take_start(std::string_view& name, CommitRecord& record)
{
    return take_number(name, "run-", record.incarnation.restarts) &&
           take_number(name, ".", record.incarnation.step) && take_number(name, "-epoch-", record.epoch) &&
           take_number(name, "-step-", record.step);
}

bool can_be(const CommitRecord& record)
{
    return record.epoch > 0 && record.ranks > 0 && record.ranks <= most_ranks;
}

std::string name_start(const CommitRecord& record)
{
    return format("run-{}.{}-epoch-{}-step-{}", record.incarnation.restarts, record.incarnation.step,
                  record.epoch, record.step);
}

/// The name that a file which is being written will have.
std::string_view strip_unfinished(std::string_view name)
{
    if (!name.starts_with('.') || !name.ends_with(unfinished_end)) return name;
    name.remove_prefix(1);
    for (const std::string_view end : {snapshot_end, manifest_end})
        if (const std::size_t at = name.find(end); at != std::string_view::npos) return name.substr(0, at + end.size());
    return name;
}

/// The snapshot that a file of ours is part of.
std::optional<CommitRecord> record_of(std::string_view name, std::uint32_t job_id)
{
    name = strip_unfinished(name);
    if (const auto file = parse_snapshot(name, job_id)) return file->record;
    return parse_manifest(name, job_id);
}

Result<std::vector<std::uint32_t>> ranks_from_json(const Json& list, std::uint32_t ranks, const std::string& what)
{
    std::vector<std::uint32_t> read;
    for (const Json& range : list) {
        const bool pair = range.is_array() && range.size() == 2 && holds<std::uint32_t>(range[0]) &&
                          holds<std::uint32_t>(range[1]);
        const std::uint32_t first = pair ? range[0].get<std::uint32_t>() : 1, last = pair ? range[1].get<std::uint32_t>() : 0;
        if (first > last || last >= ranks || (!read.empty() && first <= read.back()))
            return failure(Code::json_member, format("{}: member 'held' is no list of ranks from 0 to {}", what, ranks - 1));
        for (std::uint32_t rank = first; rank <= last; ++rank) read.push_back(rank);
    }
    return read;
}

} // namespace

std::string name_snapshot(const SpillFile& file)
{
    return format("{}-rank-{}-of-{}{}", name_start(file.record), file.rank, file.record.ranks, snapshot_end);
}

std::optional<SpillFile> parse_snapshot(std::string_view name, std::uint32_t job_id)
{
    SpillFile file;
    file.record.job_id = job_id;
    std::string_view rest = name;
    const bool read = take_start(rest, file.record) && take_number(rest, "-rank-", file.rank) &&
                      take_number(rest, "-of-", file.record.ranks);
    if (!read || !can_be(file.record) || file.rank >= file.record.ranks || name_snapshot(file) != name)
        return std::nullopt;
    return file;
}

std::string name_manifest(const CommitRecord& record)
{
    return format("{}-of-{}{}", name_start(record), record.ranks, manifest_end);
}

std::optional<CommitRecord> parse_manifest(std::string_view name, std::uint32_t job_id)
{
    CommitRecord record;
    record.job_id = job_id;
    std::string_view rest = name;
    const bool read = take_start(rest, record) && take_number(rest, "-of-", record.ranks);
    if (!read || !can_be(record) || name_manifest(record) != name) return std::nullopt;
    return record;
}

std::string name_unfinished(const std::string& name, const std::string& node)
{
    return format(".{}.{}{}", name, node, unfinished_end);
}

std::vector<std::string> choose_pruned(const std::vector<std::string>& names, std::uint32_t job_id)
{
    std::vector<CommitRecord> whole;
    for (const std::string& name : names)
        if (const auto record = parse_manifest(name, job_id)) whole.push_back(*record);
    if (whole.size() < kept_epochs) return {};
    std::ranges::sort(whole, is_newer);
    std::vector<std::string> pruned;
    for (const std::string& name : names)
        if (const auto record = record_of(name, job_id); record && is_newer(whole[kept_epochs - 1], *record))
            pruned.push_back(name);
    return pruned;
}

std::vector<SpilledEpoch> list_spilled(const std::vector<std::string>& names, std::uint32_t job_id)
{
    std::vector<SpillFile> files;
    for (const std::string& name : names)
        if (const auto file = parse_snapshot(name, job_id)) files.push_back(*file);
    std::ranges::sort(files, [](const SpillFile& a, const SpillFile& b) {
        if (a.record != b.record && (is_newer(a.record, b.record) || is_newer(b.record, a.record)))
            return is_newer(a.record, b.record);
        return std::tie(a.record.ranks, a.record.step, a.rank) < std::tie(b.record.ranks, b.record.step, b.rank);
    });
    std::vector<SpilledEpoch> epochs;
    for (const SpillFile& file : files) {
        if (epochs.empty() || epochs.back().record != file.record) epochs.push_back({file.record, {}});
        epochs.back().ranks.push_back(file.rank);
    }
    return epochs;
}

Json to_json(const SpilledEpoch& epoch)
{
    Json json = to_json(epoch.record), held = Json::array();
    for (std::size_t i = 0; i < epoch.ranks.size(); ++i) {
        if (i > 0 && epoch.ranks[i] == epoch.ranks[i - 1] + 1)
            held.back()[1] = epoch.ranks[i];
        else
            held.push_back(Json::array({epoch.ranks[i], epoch.ranks[i]}));
    }
    json["held"] = std::move(held);
    return json;
}

Result<SpilledEpoch> spilled_from_json(const Json& json, const std::string& what)
{
    const auto record = commit_from_json(json, what);
    if (!record) return tl::unexpected(record.error());
    if (!json.contains("held") || !json["held"].is_array())
        return failure(Code::json_member, what + ": member 'held' is no list");
    auto ranks = ranks_from_json(json["held"], record->ranks, what);
    if (!ranks) return tl::unexpected(std::move(ranks.error()));
    return SpilledEpoch{*record, std::move(*ranks)};
}

} // namespace mscale::recovery
