#include "hal/sysfs.hpp"

#include <limits>

#include "base/text.hpp"

namespace mscale::hal {

std::string read_text(const Root& root, const std::string& path)
{
    return root.read_line(path).value_or("");
}

std::optional<std::int64_t> read_integer(const Root& root, const std::string& path)
{
    const Result<std::int64_t> number = root.read_number(path);
    if (!number) return {};
    return *number;
}

std::optional<unsigned> read_unsigned(const Root& root, const std::string& path)
{
    const std::optional<std::int64_t> number = read_integer(root, path);
    if (!number || *number < 0 || *number > std::numeric_limits<unsigned>::max()) return {};
    return static_cast<unsigned>(*number);
}

CpuSet read_cpus(const Root& root, const std::string& path)
{
    return parse_cpu_list(read_text(root, path), true).value_or(CpuSet());
}

std::vector<std::string> list_names(const Root& root, const std::string& path)
{
    return root.list(path).value_or(std::vector<std::string>());
}

std::optional<unsigned> number_after(std::string_view name, std::string_view prefix)
{
    if (!name.starts_with(prefix)) return {};
    const std::optional<std::uint64_t> number = parse_number(name.substr(prefix.size()));
    if (!number || *number > std::numeric_limits<unsigned>::max()) return {};
    return static_cast<unsigned>(*number);
}

} // namespace mscale::hal
