#include "daemon/mscaled/slurm_nodes.hpp"

#include <cstring>
#include <ctime>
#include <vector>

#include <netdb.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "base/handle.hpp"
#include "base/text.hpp"

namespace mscale::daemon {

namespace {

using NodeMessage = Handle<node_info_msg_t*, slurm_free_node_info_msg>;
using ConfigurationMessage = Handle<slurm_conf_t*, slurm_free_ctl_conf>;
using Addresses = Handle<addrinfo*, freeaddrinfo>;

bool is_host(const node_info_t& node, std::string_view host)
{
    return (node.node_hostname && host == node.node_hostname) || host == node.name;
}

Result<void> load_all(NodeMessage& message)
{
    if (slurm_load_node(0, message.out(), SHOW_ALL) == SLURM_SUCCESS) return {};
    return failure(Code::node_act, std::string("asking slurmctld for its nodes: ") + slurm_strerror(slurm_get_errno()));
}

} // namespace

Result<NodeAddress> resolve_host(const std::string& host, unsigned port)
{
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    Addresses found;
    const int fault = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, found.out());
    if (fault != 0)
        return failure(Code::peer, format("the address of {}: {}", printable(host), gai_strerror(fault)));
    NodeAddress result;
    result.length = found.pointer()->ai_addrlen;
    std::memcpy(&result.address, found.pointer()->ai_addr, result.length);
    return result;
}

Result<NodeTable> load_nodes(std::string_view host)
{
    NodeMessage message;
    if (auto loaded = load_all(message); !loaded) return tl::unexpected(std::move(loaded.error()));
    NodeTable table;
    for (std::uint32_t i = 0; i < message.pointer()->record_count; ++i) {
        const node_info_t& node = message.pointer()->node_array[i];
        if (!node.name) continue;
        table.nodes.emplace(node.name, node.node_addr ? node.node_addr : node.name);
        table.slurmd_ports.emplace(node.name, node.port);
        table.hosts.emplace(node.node_hostname ? node.node_hostname : node.name, node.name);
        if (is_host(node, host)) table.self = node.name;
    }
    return table;
}

Result<std::set<std::string>> load_down_nodes()
{
    NodeMessage message;
    if (auto loaded = load_all(message); !loaded) return tl::unexpected(std::move(loaded.error()));
    std::set<std::string> down;
    for (std::uint32_t i = 0; i < message.pointer()->record_count; ++i) {
        const node_info_t& node = message.pointer()->node_array[i];
        if (node.name && (node.node_state & NODE_STATE_BASE) == NODE_STATE_DOWN) down.insert(node.name);
    }
    return down;
}

Result<std::vector<ControllerHost>> load_controllers(std::string_view host, const NodeTable& table)
{
    ConfigurationMessage message;
    if (slurm_load_ctl_conf(0, message.out()) != SLURM_SUCCESS)
        return failure(Code::node_act,
                       std::string("asking slurmctld for its hosts: ") + slurm_strerror(slurm_get_errno()));
    std::vector<ControllerHost> controllers;
    const slurm_conf_t& conf = *message.pointer();
    for (std::uint32_t i = 0; i < conf.control_cnt; ++i) {
        if (!conf.control_machine[i]) continue;
        const std::string name = conf.control_machine[i];
        const auto node = table.hosts.find(name);
        controllers.push_back({node == table.hosts.end() ? name : node->second,
                               conf.control_addr[i] ? conf.control_addr[i] : name, name == host});
    }
    return controllers;
}

Result<std::chrono::seconds> load_kill_wait()
{
    ConfigurationMessage message;
    if (slurm_load_ctl_conf(0, message.out()) != SLURM_SUCCESS)
        return failure(Code::node_act,
                       std::string("asking slurmctld for KillWait: ") + slurm_strerror(slurm_get_errno()));
    return std::chrono::seconds(message.pointer()->kill_wait);
}

Result<void> drain_node(const std::string& node, const std::string& reason)
{
    std::string name = node;
    std::string why = reason;
    update_node_msg_t update;
    slurm_init_update_node_msg(&update);
    update.node_names = name.data();
    update.node_state = NODE_STATE_DRAIN;
    update.reason = why.data();
    update.reason_uid = 0;
    if (slurm_update_node(&update) == SLURM_SUCCESS) return {};
    return failure(Code::node_act,
                   format("setting {} to DRAIN: {}", node, slurm_strerror(slurm_get_errno())));
}

} // namespace mscale::daemon
