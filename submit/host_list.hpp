#pragma once

#include <string>
#include <vector>

/// Node lists as Slurm writes them: "n[1-3],gpu7".
namespace mscale::submit {

/// The names in order; none for a null or empty expression, nor for one with a fault (submit/node_list.hpp), which the
/// caller refuses before.
std::vector<std::string> expand_hosts(const char* expression);

/// `expression` (may be null) and `names`, in Slurm's short form.
std::string join_hosts(const char* expression, const std::vector<std::string>& names);

} // namespace mscale::submit
