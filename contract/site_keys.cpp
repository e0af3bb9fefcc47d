#include "contract/site_keys.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.hpp"
#include "contract/mode.hpp"
#include "contract/values.hpp"

namespace mscale::contract {
namespace {

using std::chrono::milliseconds;

tl::unexpected<Error> wrong_value(std::string_view value, std::string_view wanted)
{
    return failure(Code::config_value, format("'{}' is none of: {}", printable(value), wanted));
}

/// Takes one of the words of an enumeration, in the order of its enumerators.
template <class Enum, std::size_t count>
Result<void> set_word(Enum& field, std::string_view value, const std::array<std::string_view, count>& words)
{
    for (std::size_t i = 0; i < count; ++i) {
        if (words[i] != value) continue;
        field = static_cast<Enum>(i);
        return {};
    }
    return wrong_value(value, join(std::vector<std::string>(words.begin(), words.end()), ", "));
}

Result<void> set_flag(bool& field, std::string_view value)
{
    if (value != "yes" && value != "no") return wrong_value(value, "yes, no");
    field = value == "yes";
    return {};
}

Result<void> set_path(std::string& field, std::string_view value)
{
    if (!value.starts_with('/') || value.find("/..") != std::string_view::npos)
        return failure(Code::config_value, format("'{}' is no absolute path without '..'", printable(value)));
    field = value;
    return {};
}

Result<void> set_milliseconds(milliseconds& field, std::string_view value)
{
    struct Unit {
        std::string_view name;
        std::uint64_t factor;
    };
    constexpr std::array<Unit, 3> units = {{{"ms", 1}, {"min", 60000}, {"s", 1000}}};
    for (const auto& [name, factor] : units) {
        if (!value.ends_with(name)) continue;
        const auto number = parse_number(value.substr(0, value.size() - name.size()));
        if (!number || *number == 0 || *number > 86400000 / factor) break;
        field = milliseconds(*number * factor);
        return {};
    }
    return failure(Code::config_value,
                   format("'{}' is no time from 1ms to a day with unit ms, s or min", printable(value)));
}

/// "180d"
Result<void> set_days(unsigned& field, std::string_view value)
{
    constexpr unsigned most = 36500;
    if (value == "any") {
        field = 0;
        return {};
    }
    const auto number = value.ends_with('d') ? parse_number(value.substr(0, value.size() - 1)) : std::nullopt;
    if (!number || *number == 0 || *number > most)
        return failure(Code::config_value,
                       format("'{}' is neither 1d to {}d nor any", printable(value), most));
    field = static_cast<unsigned>(*number);
    return {};
}

Result<void> set_port(unsigned& field, std::string_view value)
{
    const auto number = parse_number(value);
    if (!number || *number == 0 || *number > 65535)
        return failure(Code::config_value, format("'{}' is no port from 1 to 65535", printable(value)));
    field = static_cast<unsigned>(*number);
    return {};
}

Result<void> set_nodes(unsigned& field, std::string_view value)
{
    constexpr unsigned most = 100000;
    const auto number = parse_number(value);
    if (!number || *number > most)
        return failure(Code::config_value, format("'{}' is no number from 0 to {}", printable(value), most));
    field = static_cast<unsigned>(*number);
    return {};
}

Result<void> set_size(std::uint64_t& field, std::string_view value)
{
    const auto bytes = read_size(value);
    if (!bytes) return failure(Code::config_value, bytes.error().text, bytes.error().cure);
    field = *bytes;
    return {};
}

Result<void> set_rate(std::uint64_t& field, std::string_view value)
{
    if (auto set = set_size(field, value); !set || field > 0) return set;
    return failure(Code::config_value, "a rate of 0 sends nothing");
}

Result<void> set_names(std::vector<std::string>& field, std::string_view value)
{
    field.clear();
    for (const std::string_view name : split(value, ','))
        if (!trim(name).empty()) field.emplace_back(trim(name));
    return {};
}

/// switch, node, or "rack1=n[1-16] rack2=n[17-32]"; the lists of nodes are Slurm's to read.
Result<void> set_domains(std::string& field, std::string_view value)
{
    const bool is_word = value == "switch" || value == "node";
    for (const std::string_view entry : split(is_word ? std::string_view() : value, ' ')) {
        if (is_word || entry.empty()) continue;
        const std::size_t equals = entry.find('=');
        const std::string_view name = entry.substr(0, equals);
        const bool is_name = std::ranges::all_of(
            name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
        if (equals == std::string_view::npos || name.empty() || !is_name || equals + 1 == entry.size())
            return failure(Code::config_value, format("'{}' is neither switch, node nor NAME=NODES", printable(entry)),
                           "write as in rack1=n[1-16] rack2=n[17-32]");
    }
    if (value.empty()) return wrong_value(value, "switch, node, NAME=NODES ...");
    field = value;
    return {};
}

constexpr std::array<std::string_view, 3> mode_words = {"off", "observe", "enforce"};
constexpr std::array<std::string_view, 3> domain_words = {"forbid", "io_only", "allow"};
constexpr std::array<std::string_view, 3> down_words = {"no", "own", "yes"};
constexpr std::array<std::string_view, 3> wait_words = {"no", "tasks", "route"};
constexpr std::array<std::string_view, 2> isolated_words = {"forbid", "allow"};

Result<void> set_prefer(Site& site, std::string_view value)
{
    if (value != "same_domain" && value != "none") return wrong_value(value, "same_domain, none");
    site.prefer_same_domain = value == "same_domain";
    return {};
}

Result<void> set_gres_name(Site& site, std::string_view value)
{
    if (value != "sm") return wrong_value(value, "sm");
    site.gres_name = value;
    return {};
}

using Value = std::string_view;

constexpr std::array rules = {
    SiteRule{{"site", "mode", "off | observe | enforce", "observe",
              "What a verdict does: nothing is judged; judged and shown as `would be refused`; enforced."},
             [](Site& site, Value value) { return set_word(site.mode, value, mode_words); }},
    SiteRule{{"policy", "cross_domain", "forbid | io_only | allow", "forbid",
              "Whether a role's cores may lie in another NUMA node than its device. io_only binds only "
              "io-heavy roles to "
              "the domain of their device: those with a disk and those of io_roles."},
             [](Site& site, Value value) { return set_word(site.cross_domain, value, domain_words); }},
    SiteRule{{"policy", "prefer", "same_domain | none", "same_domain",
              "Where a role is placed that says nothing of its place: in the domain of its worker's GPU, or "
              "anywhere."},
             set_prefer},
    SiteRule{{"policy", "isolated_cpus", "forbid | allow", "forbid",
              "Whether roles may take CPUs that the kernel isolates (isolcpus)."},
             [](Site& site, Value value) { return set_word(site.isolated, value, isolated_words); }},
    SiteRule{{"policy", "io_roles", "NAME, NAME, ...", "image_loader, loader",
              "Roles that count as io-heavy though they name no disk."},
             [](Site& site, Value value) { return set_names(site.io_roles, value); }},
    SiteRule{{"policy", "inventory_age", "Nd | any", "180d",
              "How many days a class of the inventory is believed. Contracts are refused on nodes of an "
              "older one; "
              "`mscale inventory` writes it anew."},
             [](Site& site, Value value) { return set_days(site.inventory_days, value); }},
    SiteRule{{"hugepages", "grow", "yes | no", "yes",
              "Whether the kernel's pool is grown by what is missing, and given back by exactly that."},
             [](Site& site, Value value) { return set_flag(site.grow, value); }},
    SiteRule{{"gpu", "nvml_library", "PATH", "",
              "The NVML library; without it the system's, where there is a driver."},
             [](Site& site, Value value) { return set_path(site.nvml_library, value); }},
    SiteRule{{"gres", "name", "sm", "sm", "The GRES of GPU slices."}, set_gres_name},
    SiteRule{
        {"paths", "state", "PATH", "/run/mscale", "Ledgers, mounts and the socket of mscaled; on a tmpfs."},
        [](Site& site, Value value) { return set_path(site.state, value); }},
    SiteRule{{"paths", "inventory", "PATH", MSCALE_SYSCONFDIR "/inventory",
              "The classes of machines (mscale inventory)."},
             [](Site& site, Value value) { return set_path(site.inventory, value); }},
    SiteRule{{"paths", "profiles", "PATH", MSCALE_SYSCONFDIR "/profiles", "The site's profiles, NAME.ini."},
             [](Site& site, Value value) { return set_path(site.profiles, value); }},
    SiteRule{
        {"paths", "node_program", "PATH", MSCALE_SBINDIR "/mscale-node", "The program that acts on a node."},
        [](Site& site, Value value) { return set_path(site.node_program, value); }},
    SiteRule{{"munge", "socket", "PATH", "", "The socket of munged; without it munge's own default."},
             [](Site& site, Value value) { return set_path(site.munge_socket, value); }},
    SiteRule{{"daemon", "port", "1-65535", "6821", "The TCP port of mscaled, for the other nodes."},
             [](Site& site, Value value) { return set_port(site.port, value); }},
    SiteRule{{"daemon", "report_deadline", "TIME", "30s",
              "A node of the allocation that has not reported by then is named and the job is cancelled."},
             [](Site& site, Value value) { return set_milliseconds(site.report_deadline, value); }},
    SiteRule{{"daemon", "watch_interval", "TIME", "2s",
              "How often cores and huge pages of running jobs are read again."},
             [](Site& site, Value value) { return set_milliseconds(site.watch_interval, value); }},
    SiteRule{
        {"daemon", "reconcile_interval", "TIME", "1min", "How often ledgers are compared with Slurm's jobs."},
        [](Site& site, Value value) { return set_milliseconds(site.reconcile_interval, value); }},
    SiteRule{
        {"recovery", "port", "1-65535", "6822",
         "The TCP port of mscaled for the snapshots that nodes copy, and the UDP port of its beats."},
        [](Site& site, Value value) { return set_port(site.recovery_port, value); }},
    SiteRule{{"recovery", "memory", "SIZE", "",
              "What snapshots of jobs and copies of other nodes' may take of a node's memory; without it, "
              "what is free."},
             [](Site& site, Value value) { return set_size(site.recovery_memory, value); }},
    SiteRule{{"recovery", "held_memory", "SIZE", "",
              "What snapshots of jobs that have left and wait to run again may keep of a node's memory; without it, "
              "nothing. Must lie inside what Slurm doesn't hand out (MemSpecLimit)."},
             [](Site& site, Value value) { return set_size(site.held_memory, value); }},
    SiteRule{{"recovery", "domains", "switch | node | NAME=NODES ...", "switch",
              "What may be lost together, so that copies and the members of a coded group are kept apart: the nodes of a leaf "
              "switch (block) of Slurm's topology, each node alone, or the nodes of each list."},
             [](Site& site, Value value) { return set_domains(site.domains, value); }},
    SiteRule{{"recovery", "set_down", "no | own | yes", "own",
              "Whether a node that the others of a job agree to be dead is set DOWN: never, only where no "
              "other job holds it, always."},
             [](Site& site, Value value) { return set_word(site.set_down, value, down_words); }},
    SiteRule{{"recovery", "max_down_per_hour", "N", "2",
              "How many nodes of the cluster mscaled sets DOWN within an hour, counted by their reasons in "
              "slurmctld."},
             [](Site& site, Value value) { return set_nodes(site.max_down_per_hour, value); }},
    SiteRule{{"recovery", "require_controller", "yes | no", "yes",
              "Whether a node is set DOWN only when a mscaled beside slurmctld finds it dead, too."},
             [](Site& site, Value value) { return set_flag(site.require_controller, value); }},
    SiteRule{{"recovery", "end_wait", "no | tasks | route", "no",
              "How the slurmstepd of a job are freed that wait for its dead batch host, which mscaled has set DOWN: not at "
              "all, by ending their connections to it, or by an unreachable route to it until the job has left the node."},
             [](Site& site, Value value) { return set_word(site.end_wait, value, wait_words); }},
    SiteRule{{"recovery", "rate", "SIZE", "1GiB",
              "What a node sends to other nodes in a second; only to judge at submit whether a snapshot fits into the "
              "time between the notice and the end of a job."},
             [](Site& site, Value value) { return set_rate(site.recovery_rate, value); }},
    SiteRule{{"recovery", "spill_rate", "SIZE", "1GiB",
              "What a node writes to the directories of ft.spill in a second."},
             [](Site& site, Value value) { return set_rate(site.spill_rate, value); }},
    SiteRule{{"node", "apply_deadline", "TIME", "20s",
              "The longest that setting up may take in a prolog; keep it below Slurm's PrologEpilogTimeout."},
             [](Site& site, Value value) { return set_milliseconds(site.apply_deadline, value); }},
};

} // namespace

std::span<const SiteRule> site_rules()
{
    return rules;
}

std::vector<SiteKey> site_keys()
{
    std::vector<SiteKey> keys;
    for (const SiteRule& rule : rules) keys.push_back(rule.key);
    keys.push_back(
        {"partition.NAME", "mode", "off | observe | enforce", "", "The mode for the jobs of one partition."});
    return keys;
}

} // namespace mscale::contract
