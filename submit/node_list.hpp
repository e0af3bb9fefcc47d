#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mscale::submit {

/// A node list may name this many nodes, and so many bytes of names.  "a[0-65535],b[0-65535],…" is short, and would be
/// gigabytes of names in slurmctld.
inline constexpr std::size_t most_nodes = 100'000;
inline constexpr std::size_t most_name_bytes = 16 << 20;

/// How much a node list stands for, without making a single name.
struct NodeListSize {
    std::size_t nodes = 0,
                bytes =
                    0; ///< as if each number were written with 20 digits; counted no further than the limits
    bool is_readable = true; ///< false: brackets that hold no ranges of numbers
};
NodeListSize measure_node_list(std::string_view expression);

/// "" or the sentence that refuses the list; `name` is the option that brought it.
std::string find_list_fault(std::string_view name, const char* expression);

} // namespace mscale::submit
