#include "submit/host_list.hpp"

#include <cstdlib>

#include <slurm/slurm.h>

#include "base/handle.hpp"
#include "submit/node_list.hpp"

namespace mscale::submit {

namespace {

// A pointer type up to 23.02, a structure from 23.11 on: its name is taken from the function that makes it.
using Hosts = Handle<decltype(slurm_hostlist_create(nullptr)), slurm_hostlist_destroy>;

std::string write_ranges(const Hosts& hosts)
{
    std::string text(1 << 10, '\0');
    while (text.size() <= 16 << 20) {
        const ssize_t length = slurm_hostlist_ranged_string(hosts.pointer(), text.size(), text.data());
        if (length >= 0) return text.substr(0, static_cast<std::size_t>(length));
        text.resize(text.size() * 4);
    }
    return "";
}

} // namespace

std::vector<std::string> expand_hosts(const char* expression)
{
    std::vector<std::string> names;
    if (!expression || !*expression || !find_list_fault("", expression).empty()) return names;
    const Hosts hosts(slurm_hostlist_create(expression));
    if (!hosts) return names;
    while (char* name = slurm_hostlist_shift(hosts.pointer())) {
        names.emplace_back(name);
        std::free(name);
    }
    return names;
}

std::string join_hosts(const char* expression, const std::vector<std::string>& names)
{
    const Hosts hosts(slurm_hostlist_create(expression ? expression : ""));
    if (!hosts) return expression ? expression : "";
    for (const std::string& name : names) slurm_hostlist_push_host(hosts.pointer(), name.c_str());
    return write_ranges(hosts);
}

} // namespace mscale::submit
