#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu_set.hpp"
#include "base/files.hpp"

namespace mscale::hal {

// What sysfs and procfs say where a missing file is an answer: older kernels, other drivers and copied trees
// lack some.

/// The file's text without trailing white space; "" when it can't be read.
std::string read_text(const Root& root, const std::string& path);

/// The number in the file; nothing when it can't be read or isn't one.
std::optional<std::int64_t> read_integer(const Root& root, const std::string& path);

/// As `read_integer`, when it is not negative and fits.
std::optional<unsigned> read_unsigned(const Root& root, const std::string& path);

/// The CPU list in the file; the empty set when it can't be read.
CpuSet read_cpus(const Root& root, const std::string& path);

/// The names in the directory in natural order; none when it can't be read.
std::vector<std::string> list_names(const Root& root, const std::string& path);

/// What follows `prefix` when `name` is the prefix and decimal digits ("node12": 12), else nothing.
std::optional<unsigned> number_after(std::string_view name, std::string_view prefix);

} // namespace mscale::hal
