#include "cli/snapshot_view.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <optional>
#include <vector>

#include <pwd.h>

#include "base/json.hpp"
#include "base/text.hpp"

namespace mscale::cli {
namespace {

using Cells = std::vector<std::string>;

/// Columns as wide as their widest cell, two blanks apart.
std::string lay_out(const std::vector<Cells>& rows)
{
    std::vector<std::size_t> widths(rows.front().size());
    for (const Cells& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string text;
    for (const Cells& row : rows) {
        for (std::size_t i = 0; i + 1 < row.size(); ++i) text += format("{:<{}}  ", row[i], widths[i]);
        text += row.back() + "\n";
    }
    text.pop_back();
    return text;
}

std::string user_name(std::uint32_t uid)
{
    const passwd* const entry = ::getpwuid(uid);
    return entry ? entry->pw_name : std::to_string(uid);
}

std::string time_text(std::int64_t seconds)
{
    const std::time_t time = seconds;
    std::tm local{};
    std::array<char, 32> text{};
    if (seconds == 0 || !::localtime_r(&time, &local)) return "-";
    std::strftime(text.data(), text.size(), "%F %T", &local);
    return text.data();
}

std::string number(const Json& object, const char* key)
{
    return std::to_string(object.value(key, std::uint64_t{0}));
}

Cells snapshot_row(const Json& segment, const Json* slot)
{
    const Json age = slot ? slot->value("age", Json()) : Json();
    const bool committed = slot && slot->value("committed", false);
    return {number(segment, "job"),
            user_name(segment.value("uid", std::uint32_t{0})),
            number(segment, "rank"),
            slot ? number(*slot, "epoch") + (committed ? "" : "*") : "-",
            slot ? number(*slot, "step") : "-",
            slot ? format_bytes(slot->value("bytes", std::uint64_t{0})) : "-",
            segment.value("kind", ""),
            age.is_number() ? age_text(age.get<std::int64_t>()) : "-",
            time_text(segment.value("since", std::int64_t{0}))};
}

void add_rows(std::vector<Cells>& rows, const Json& segment)
{
    const Json slots = segment.value("slots", Json::array());
    if (slots.empty()) rows.push_back(snapshot_row(segment, nullptr));
    for (const Json& slot : slots) rows.push_back(snapshot_row(segment, &slot));
}

} // namespace

std::string age_text(std::int64_t seconds)
{
    if (seconds < 120) return format("{} s", std::max<std::int64_t>(seconds, 0));
    if (seconds < 2 * 3600) return format("{} min", seconds / 60);
    if (seconds < 2 * 86400) return format("{} h", seconds / 3600);
    return format("{} d", seconds / 86400);
}

std::string snapshot_table(const Json& nodes, bool node_column)
{
    std::vector<Cells> rows = {{"job", "user", "rank", "epoch", "step", "bytes", "kind", "age", "held since"}};
    if (node_column) rows.front().insert(rows.front().begin(), "node");
    std::uint64_t memory = 0;
    for (const Json& node : nodes)
        for (const Json& segment : node.value("segments", Json::array())) {
            const std::size_t first = rows.size();
            add_rows(rows, segment);
            memory += segment.value("bytes", std::uint64_t{0});
            for (std::size_t i = first; node_column && i < rows.size(); ++i)
                rows[i].insert(rows[i].begin(), node.value("node", ""));
        }
    if (rows.size() == 1) return "no snapshot is held";
    std::string text = lay_out(rows) + format("\n{} of memory; *: not committed", format_bytes(memory));
    for (const Json& node : nodes)
        for (const Json& job : node.value("memory", Json::array()))
            text += format("\njob {}{}: {}", number(job, "job"), node_column ? " on " + node.value("node", "") : "",
                           memory_text(job));
    return text;
}

std::string memory_text(const Json& memory)
{
    const auto bytes_of = [&](const char* key) { return memory.value(key, std::uint64_t{0}); };
    const std::string exposed = memory.value("exposed", "");
    const std::string held =
        format_bytes(bytes_of("bytes")) +
        (exposed.empty() ? "" : format(" (exposed: its copies lie in the same failure domain, {})", exposed));
    if (memory.value("left", false)) return held + " of [recovery] held_memory: the job has left the node";
    if (!memory.contains("charged")) return held + ", charged to mscaled: Slurm keeps no memory cgroup of the job here";
    std::string text = format("{}, of which {} are charged to the job", held,
                              format_bytes(std::min(bytes_of("charged"), bytes_of("bytes"))));
    if (memory.contains("limit"))
        text += format(": {} of its {} are used", format_bytes(bytes_of("used")), format_bytes(bytes_of("limit")));
    return text;
}

std::string commit_text(const Json& nodes)
{
    std::optional<Json> newest;
    const auto order = [](const Json& record) {
        return std::array{record.value("restarts", std::uint64_t{0}),
                          record.value("step_id", std::uint64_t{0}), record.value("epoch", std::uint64_t{0})};
    };
    unsigned holders = 0;
    for (const Json& node : nodes)
        for (const Json& record : node.value("records", Json::array())) {
            if (newest && order(*newest) == order(record)) ++holders;
            if (newest && order(*newest) >= order(record)) continue;
            newest = record;
            holders = 1;
        }
    if (!newest) return "nothing is committed: the job would begin anew";
    return format("committed: epoch {} of step {}, {} ranks, known to {} node{}", number(*newest, "epoch"),
                  number(*newest, "step"), number(*newest, "ranks"), holders, holders == 1 ? "" : "s");
}

std::string check_table(const Json& checks)
{
    std::vector<Cells> rows = {{"job", "rank", "kind", "epoch", "result"}};
    for (const Json& check : checks) {
        const std::string text = check.value("text", "");
        rows.push_back({number(check, "job"), number(check, "rank"), check.value("kind", ""),
                        number(check, "epoch"),
                        check.value("result", "") + (text.empty() ? "" : ": " + text)});
    }
    return rows.size() == 1 ? "no snapshot is held" : lay_out(rows);
}

} // namespace mscale::cli
