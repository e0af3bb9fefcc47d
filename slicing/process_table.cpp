#include "slicing/process_table.hpp"

#include <optional>

#include "base/text.hpp"

namespace mscale::slicing {
namespace {

std::optional<uid_t> read_effective_uid(const Root& root, const std::string& directory)
{
    const auto status = root.read(directory + "/status");
    if (!status) return std::nullopt;
    for (const std::string_view line : split(*status, '\n')) {
        if (!line.starts_with("Uid:")) continue;
        const auto fields = split(line, '\t');
        const auto uid = fields.size() > 2 ? parse_number(fields[2]) : std::nullopt;
        return uid ? std::optional(static_cast<uid_t>(*uid)) : std::nullopt;
    }
    return std::nullopt;
}

/// proc(5): after the name in parentheses come state, ppid, pgrp, session (fields 3 to 6) and the start
/// (field 22).
std::optional<ProcessEntry> read_process(const Root& root, const std::string& name)
{
    const auto pid = parse_number(name);
    if (!pid) return std::nullopt;
    const auto stat = root.read("/proc/" + name + "/stat");
    const std::size_t end = stat ? stat->rfind(')') : std::string::npos;
    if (end == std::string::npos || end + 2 >= stat->size()) return std::nullopt;
    const auto fields = split(std::string_view(*stat).substr(end + 2), ' ');
    if (fields.size() < 20 || fields[0] == "Z" || fields[0] == "X") return std::nullopt;
    const auto parent = parse_number(fields[1]), group = parse_number(fields[2]),
               session = parse_number(fields[3]);
    const auto start = parse_number(fields[19]);
    const auto uid = read_effective_uid(root, "/proc/" + name);
    if (!parent || !group || !session || !start || !uid) return std::nullopt;
    return ProcessEntry{{static_cast<pid_t>(*pid), *start},
                        static_cast<pid_t>(*parent),
                        static_cast<pid_t>(*group),
                        static_cast<pid_t>(*session),
                        *uid};
}

} // namespace

std::vector<ProcessEntry> read_processes(const Root& root)
{
    std::vector<ProcessEntry> processes;
    for (const std::string& name : root.list("/proc").value_or(std::vector<std::string>()))
        if (auto process = read_process(root, name)) processes.push_back(*process);
    return processes;
}

} // namespace mscale::slicing
