#include "daemon/mscaled/slurm_domains.hpp"

#include <cstdio>
#include <cstdlib>
#include <set>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "base/handle.hpp"
#include "base/text.hpp"
#include "daemon/mscaled/slurm_jobs.hpp"

namespace mscale::daemon {

namespace {

using TopologyMessage = Handle<topo_info_response_msg_t*, slurm_free_topo_info_msg>;

/// "" where the line has no such word.
std::string word_of(std::string_view line, std::string_view key)
{
    for (const std::string_view word : split(line, ' '))
        if (word.starts_with(key)) return std::string(word.substr(key.size()));
    return "";
}

int load_topology(TopologyMessage& message)
{
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 5, 0)
    return slurm_load_topo(message.out());
#else
    return slurm_load_topo(message.out(), nullptr);
#endif
}

/// As text, the only form that all versions of Slurm give.
void print_topology(std::FILE* to, const TopologyMessage& message)
{
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 11, 0)
    slurm_print_topo_info_msg(to, message.pointer(), 1);
#elif SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 5, 0)
    slurm_print_topo_info_msg(to, message.pointer(), nullptr, 1);
#else
    slurm_print_topo_info_msg(to, message.pointer(), nullptr, nullptr, 1);
#endif
}

} // namespace

DomainTable read_domain_list(std::string_view list)
{
    DomainTable domains;
    for (const std::string_view entry : split(list, ' ')) {
        const std::size_t equals = entry.find('=');
        if (equals == std::string_view::npos) continue;
        for (std::string& node : expand_nodes(std::string(entry.substr(equals + 1)).c_str()))
            domains.emplace(std::move(node), entry.substr(0, equals));
    }
    return domains;
}

DomainTable read_topology(std::string_view text)
{
    DomainTable domains;
    std::set<std::string> ambiguous;
    for (const std::string_view line : split(text, '\n')) {
        const std::string level = word_of(line, "Level="), leaf = word_of(line, "SwitchName=");
        const std::string name = leaf.empty() ? word_of(line, "BlockName=") : leaf;
        if (name.empty() || (!level.empty() && level != "0")) continue;
        for (const std::string& node : expand_nodes(word_of(line, "Nodes=").c_str()))
            if (const auto [known, added] = domains.emplace(node, name); !added && known->second != name) ambiguous.insert(node);
    }
    for (const std::string& node : ambiguous) domains.erase(node);
    return domains;
}

Result<DomainTable> load_domains(const std::string& setting)
{
    if (setting == "node") return DomainTable();
    if (setting != "switch") return read_domain_list(setting);
    TopologyMessage message;
    if (load_topology(message) != SLURM_SUCCESS)
        return failure(Code::node_act,
                       std::string("asking slurmctld for its topology: ") + slurm_strerror(slurm_get_errno()));
    char* text = nullptr;
    std::size_t length = 0;
    std::FILE* const memory = open_memstream(&text, &length);
    if (!memory) return os_failure(Code::node_act, "memory for the topology", errno);
    print_topology(memory, message);
    std::fclose(memory);
    const Handle<char*, std::free> owned(text);
    return read_topology({text, length});
}

} // namespace mscale::daemon
