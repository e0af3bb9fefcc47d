// mscale doctor: is this installation able to keep a promise?
#include <algorithm>
#include <chrono>
#include <ctime>
#include <iterator>

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "base/files.hpp"
#include "base/fill_memory.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/daemon_client.hpp"
#include "cli/output.hpp"
#include "cli/port_probe.hpp"
#include "cli/recovery_time.hpp"
#include "cli/slurm_view.hpp"
#include "cli/snapshot_ground.hpp"
#include "cli/sources.hpp"
#include "config.h"
#include "contract/mode.hpp"
#include "hal/inventory.hpp"

namespace mscale::cli {
namespace {

/// What one look found: `cure` is empty when it is as it should be.
struct Finding {
    std::string subject, found, cure;
};
using Findings = std::vector<Finding>;

struct DoctorArguments {
    bool json = false, settings = false;
};

constexpr auto doctor_footer = R"(Exit status 0 when all is well, 3 when something must be mended.

Examples:
  mscale doctor
  mscale doctor --settings       the values of mscale.conf in force
  mscale doctor --json)";

bool is_file(const std::string& path)
{
    return ::access(path.c_str(), R_OK) == 0;
}

std::string find_plugin(const SlurmView& view, const std::string& file)
{
    for (const std::string_view directory : split(view.plugin_dir, ':'))
        if (const std::string path = format("{}/{}", directory, file); is_file(path)) return path;
    return "";
}

Finding look_at_plugin(const SlurmView& view, const std::string& file)
{
    const std::string path = find_plugin(view, file);
    if (!path.empty()) return {file, path, ""};
    return {file, "not in PluginDir " + view.plugin_dir,
            "install it there, or add its directory to PluginDir"};
}

Finding look_at_version(const SlurmView& view)
{
    const std::string built = MSCALE_SLURM_VERSION;
    if (view.version == built) return {"Slurm", view.version, ""};
    return {"Slurm", format("{}, but mscale was built for {}", view.version, built),
            "rebuild mscale against the headers of this version"};
}

/// "cores,mscale" keeps, "mscale,cores" doesn't: the last judges the job as the others left it.
Finding look_at_submit_order(const SlurmView& view)
{
    const auto plugins = split(view.job_submit_plugins, ',');
    if (trim(plugins.back()) == "mscale") return {"JobSubmitPlugins", view.job_submit_plugins, ""};
    return {"JobSubmitPlugins", view.job_submit_plugins.empty() ? "none" : view.job_submit_plugins,
            "name mscale last in JobSubmitPlugins of slurm.conf"};
}

Finding look_at_prolog_flags(const SlurmView& view)
{
    if (view.has_alloc_flag) return {"PrologFlags", "Alloc", ""};
    return {"PrologFlags", "Alloc is missing: nodes but the first would not see the contract",
            "set PrologFlags=Alloc in slurm.conf"};
}

Finding look_at_prolog_timeout(const SlurmView& view, const contract::Site& site)
{
    const auto ours = site.apply_deadline.count();
    if (view.prolog_timeout == 0 || view.prolog_timeout * 1000 > ours)
        return {"PrologEpilogTimeout",
                view.prolog_timeout == 0 ? "none" : format("{} s", view.prolog_timeout), ""};
    return {"PrologEpilogTimeout",
            format("{} s, not above [node] apply_deadline = {} ms: Slurm would drain the node",
                   view.prolog_timeout, ours),
            "raise PrologEpilogTimeout, or lower apply_deadline"};
}

Finding look_at_plugstack(const SlurmView& view)
{
    const auto text = read_file(view.plugstack);
    if (!text)
        return {"plugstack.conf", text.error().text,
                "add: optional spank_mscale.so config=" MSCALE_SYSCONFDIR "/mscale.conf"};
    if (text->find("spank_mscale.so") != std::string::npos) return {"plugstack.conf", view.plugstack, ""};
    if (text->find("include") != std::string::npos)
        return {"plugstack.conf", "includes other files; look there for spank_mscale.so", ""};
    return {"plugstack.conf", "doesn't name spank_mscale.so",
            "add: optional spank_mscale.so config=" MSCALE_SYSCONFDIR "/mscale.conf"};
}

std::string this_host()
{
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    const std::string whole = name;
    return whole.substr(0, whole.find('.'));
}

bool is_controller(const SlurmView& view)
{
    return std::ranges::count(view.controllers, this_host(), &SlurmController::name) > 0;
}

/// Unknown without a view: then this may be a node.
bool is_node(const Result<SlurmView>& view)
{
    const auto is_here = [](const SlurmNode& node) {
        return node.name == this_host() || node.host.substr(0, node.host.find('.')) == this_host();
    };
    return !view || std::ranges::any_of(view->nodes, is_here);
}

std::int64_t age_of_oldest(const hal::Inventory& inventory)
{
    const auto oldest = std::ranges::min_element(inventory.classes, {}, &hal::MachineClass::written);
    return (std::time(nullptr) - oldest->written) / 86400;
}

std::string list_old_classes(const contract::Site& site, const hal::Inventory& inventory)
{
    std::vector<std::string> old;
    for (const auto& machine_class : inventory.classes)
        if (const auto age = contract::find_excess_age(site, machine_class.written, std::time(nullptr)))
            old.push_back(
                format("class {} was written {} days ago, [policy] inventory_age is {}d: contracts are "
                       "refused there",
                       machine_class.name, *age, site.inventory_days));
    return join(old, "; ");
}

Finding look_at_inventory(const contract::Site& site, const Result<SlurmView>& view)
{
    const auto inventory = read_inventory_of(site);
    if (view && !is_controller(*view) && (!inventory || inventory->classes.empty()))
        return {"inventory", "none here; it is needed on the SlurmctldHosts, and this is none", ""};
    if (!inventory) return {"inventory", inventory.error().text, inventory.error().cure};
    std::vector<std::string> known, missing;
    for (const auto& machine_class : inventory->classes)
        known.insert(known.end(), machine_class.nodes.begin(), machine_class.nodes.end());
    if (view)
        for (const SlurmNode& node : view->nodes)
            if (std::ranges::find(known, node.name) == known.end()) missing.push_back(node.name);
    if (const std::string old = list_old_classes(site, *inventory); !old.empty())
        return {
            "inventory", old,
            "run `mscale inventory --output DIR` on a node of each and copy the files to the controllers"};
    if (missing.empty() && !known.empty())
        return {"inventory",
                format("{}: {} nodes in {} classes, the oldest written {} days ago", site.inventory,
                       known.size(), inventory->classes.size(), age_of_oldest(*inventory)),
                ""};
    return {"inventory",
            known.empty() ? site.inventory + " holds no class" : "no class holds " + join(missing, ","),
            std::string(entry_of(Code::inventory).cure)};
}

/// Each controller judges by its own files, which only a look on that host shows.
Findings look_at_controllers(const SlurmView& view)
{
    Findings findings;
    for (const SlurmController& controller : view.controllers) {
        const bool is_here = controller.name == this_host();
        const std::string found =
            !controller.answers ? controller.name + " doesn't answer"
            : is_here
                ? controller.name + ", this host"
                : controller.name + "; its plugin and inventory are seen only there: run mscale doctor on it";
        findings.push_back(
            {"SlurmctldHost", found,
             controller.answers ? "" : "start slurmctld there; its inventory must be the same"});
    }
    return findings;
}

/// The daemons report to each other: to the port of every node that is up.
Finding look_at_ports(const contract::Site& site, const SlurmView& view)
{
    std::vector<std::string> hosts;
    for (const SlurmNode& node : view.nodes)
        if (node.is_up) hosts.push_back(node.address.empty() ? node.name : node.address);
    const auto silent = find_silent_hosts(hosts, site.port, std::chrono::seconds(2));
    const std::string subject = format("port {}", site.port);
    if (silent.empty()) return {subject, format("open on the {} nodes that are up", hosts.size()), ""};
    return {
        subject,
        format("closed on {} of {} nodes that are up: {}", silent.size(), hosts.size(), join(silent, ",")),
        "start mscaled there and open the port between the nodes ([daemon] port)"};
}

/// Who asks what is missing waits for what doesn't answer, but not long.
constexpr std::chrono::seconds slurmctld_patience{5};

/// The mscaled beside slurmctld votes on the death of nodes.
Finding look_at_recovery(const contract::Site& site, const SlurmView& view)
{
    const SlurmPauses pauses{std::chrono::seconds(view.slurmd_timeout), std::chrono::seconds(view.sched_delay)};
    const Finding expected{"a node's death", describe_recovery(site, pauses), ""};
    if (site.set_down == contract::SetDown::no || !site.require_controller) return expected;
    std::vector<std::string> hosts;
    for (const SlurmController& controller : view.controllers)
        hosts.push_back(controller.address.empty() ? controller.name : controller.address);
    const auto silent = find_silent_hosts(hosts, site.port, std::chrono::seconds(2));
    if (silent.size() < hosts.size()) return expected;
    return {"a node's death",
            format("no node is set DOWN, since no mscaled answers beside slurmctld ({})", join(silent, ",")),
            "start mscaled on each SlurmctldHost, or set [recovery] require_controller = no"};
}

Finding make_finding(std::string subject, Ground ground)
{
    return {std::move(subject), std::move(ground.found), std::move(ground.cure)};
}

constexpr auto no_node = "not needed here: this host is no node of the cluster";

Finding look_at_daemon(const contract::Site& site, bool is_needed)
{
    const auto answer = ask_daemon(site, {{"op", "status"}});
    if (answer) return {"mscaled", "answers on " + site.state + "/mscaled.sock", ""};
    if (!is_needed) return {"mscaled", no_node, ""};
    return {"mscaled", answer.error().text, answer.error().cure};
}

Finding look_at_node_program(const contract::Site& site, bool is_needed)
{
    if (!is_needed) return {"mscale-node", no_node, ""};
    if (::access(site.node_program.c_str(), X_OK) == 0) return {"mscale-node", site.node_program, ""};
    return {"mscale-node", site.node_program + " can't be run", "install it, or set [paths] node_program"};
}

Findings examine(const contract::Site& site)
{
    const auto view = view_slurm(slurmctld_patience);
    Findings findings = {{"mode", std::string(to_string(site.mode)), ""},
                         look_at_node_program(site, is_node(view)),
                         look_at_daemon(site, is_node(view))};
    findings.push_back(look_at_inventory(site, view));
    if (!view) {
        findings.push_back({"slurmctld", view.error().text, view.error().cure});
        return findings;
    }
    findings.push_back(look_at_version(*view));
    for (const char* plugin : {"spank_mscale.so", "job_submit_mscale.so"})
        findings.push_back(look_at_plugin(*view, plugin));
    if (view->gres_types.find("sm") != std::string::npos)
        findings.push_back(look_at_plugin(*view, "gres_sm.so"));
    findings.push_back(look_at_submit_order(*view));
    findings.push_back(look_at_prolog_flags(*view));
    findings.push_back(look_at_prolog_timeout(*view, site));
    findings.push_back(look_at_plugstack(*view));
    std::ranges::move(look_at_controllers(*view), std::back_inserter(findings));
    findings.push_back(look_at_ports(site, *view));
    findings.push_back(look_at_recovery(site, *view));
    if (const auto domains = ask_daemon(site, {{"op", "domains"}}))
        findings.push_back(make_finding("failure domains", describe_domains(site, *domains)));
    findings.push_back(make_finding("snapshots", judge_charging(*view)));
    if (is_node(view)) findings.push_back(make_finding("pages of snapshots", describe_pages(granted_huge_page())));
    findings.push_back(make_finding("held_memory", judge_held_memory(site, *view)));
    return findings;
}

int print_findings(const Findings& findings, bool json)
{
    Json list = Json::array();
    std::string text;
    const auto is_well = [](const Finding& finding) { return finding.cure.empty(); };
    for (const Finding& finding : findings) {
        list.push_back({{"subject", finding.subject},
                        {"ok", is_well(finding)},
                        {"found", finding.found},
                        {"cure", finding.cure}});
        text += format("{:<5} {:<20} {}\n", is_well(finding) ? "ok" : "MEND", finding.subject, finding.found);
        if (!is_well(finding)) text += format("{:<26} {}\n", "", finding.cure);
    }
    if (json)
        print_json(Json{{"mscale_doctor", 1}, {"findings", list}});
    else
        print(text);
    return std::ranges::all_of(findings, is_well) ? 0 : exit_status(Kind::system);
}

int print_settings(const std::string& config)
{
    const std::string file = contract::site_path(config);
    const auto text = read_file(file);
    for (const auto& setting : contract::list_settings(text ? *text : "", file))
        print(format("{:<28} {:<36} {}", setting.name, setting.value, setting.origin));
    return 0;
}

int examine_installation(const DoctorArguments& arguments, const Global& global)
{
    const auto site = contract::read_site(global.config);
    if (!site) return report(site.error());
    return arguments.settings ? print_settings(global.config)
                              : print_findings(examine(*site), arguments.json);
}

} // namespace

void add_doctor(CLI::App& app, const Global& global, Run& run)
{
    auto arguments = std::make_shared<DoctorArguments>();
    CLI::App* command = app.add_subcommand("doctor", "Check this installation and say what to mend");
    command->footer(doctor_footer);
    command->add_flag("--json", arguments->json, "print the findings as JSON");
    command->add_flag("--settings", arguments->settings, "print the values of mscale.conf in force");
    command->callback([arguments, &global, &run] {
        run = [arguments, &global] { return examine_installation(*arguments, global); };
    });
}

} // namespace mscale::cli
