#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mscale {

/// Every value that the slurm.conf at `path` and the files that it includes give to `key`, in their order, so that the
/// last is the one in force; none when the file can't be read.  Read as Slurm reads it: names in either case, several
/// on a line, lines that go on after "\", "%c" in the name of an included file.  No RPC.
std::vector<std::string> read_slurm_conf(const std::string& path, std::string_view key);

} // namespace mscale
