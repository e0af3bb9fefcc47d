#include "base/process.hpp"

#include <optional>
#include <utility>

#include "base/files.hpp"
#include "base/text.hpp"

namespace mscale {
namespace {

struct Stat {
    char state = '?';
    std::uint64_t start_time = 0;
};

/// proc(5): the fields after the command's name, which ends at the last ')'.
std::optional<Stat> read_stat(pid_t pid)
{
    const auto text = read_file(format("/proc/{}/stat", pid), 4096);
    if (!text) return std::nullopt;
    const std::size_t name_end = text->rfind(')');
    if (name_end == std::string::npos || name_end + 2 > text->size()) return std::nullopt;
    const auto fields = split(std::string_view(*text).substr(name_end + 2), ' ');
    constexpr std::size_t start_time_field = 22 - 3; // the state is field 3
    if (fields.size() <= start_time_field || fields[0].empty()) return std::nullopt;
    const auto start_time = parse_number(fields[start_time_field]);
    if (!start_time) return std::nullopt;
    return Stat{fields[0][0], *start_time};
}

} // namespace

Result<ProcessId> identify_process(pid_t pid)
{
    const auto stat = read_stat(pid);
    if (stat) return ProcessId{pid, stat->start_time};
    return failure(Code::node_act, format("there is no process {}", pid));
}

bool is_alive(const ProcessId& process)
{
    const auto stat = read_stat(process.pid);
    return stat && stat->start_time == process.start_time && stat->state != 'Z' && stat->state != 'X';
}

} // namespace mscale
