// mscale inventory: the classes of machines that slurmctld judges by.
#include <algorithm>
#include <cctype>
#include <ctime>

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/machine_classes.hpp"
#include "cli/output.hpp"
#include "cli/slurm_view.hpp"
#include "cli/sources.hpp"
#include "contract/gres_conf.hpp"
#include "hal/inventory.hpp"

namespace mscale::cli {
namespace {

using hal::MachineClass;

struct InventoryArguments {
    std::string output, nodes, name, gres_file;
    MachineSource machine;
    bool list = false, gres_conf = false, json = false;
};

constexpr auto inventory_footer =
    R"(Run it on one node of each kind and copy the directory to every SlurmctldHost. Nodes that Slurm describes alike are
taken for one class, unless --nodes names them.

Examples:
  mscale inventory                                  print this node's class
  mscale inventory --output /etc/mscale/inventory   write it, and the partitions
  mscale inventory --list
  mscale inventory --gres-conf                      lines for gres.conf and slurm.conf
  mscale inventory --check-gres /etc/slurm/gres.conf)";

std::string host_name()
{
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    const std::string whole = name;
    return whole.substr(0, whole.find('.'));
}

/// The nodes that Slurm describes as it describes this one.
std::vector<std::string> nodes_like(const SlurmView& view, const std::string& self)
{
    const auto own = std::ranges::find(view.nodes, self, &SlurmNode::name);
    std::vector<std::string> names;
    if (own == view.nodes.end()) return {self};
    for (const SlurmNode& node : view.nodes)
        if (node.shape == own->shape) names.push_back(node.name);
    return names;
}

bool is_host_character(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
}

/// The name becomes that of a file in the directory.
Result<void> check_class_name(const std::string& name)
{
    if (name.empty()) return {};
    if (name != "partitions" && name.front() != '.' && std::ranges::all_of(name, is_host_character))
        return {};
    return failure(Code::usage, format("'{}' can't be the name of a class", printable(name)),
                   "use letters, digits, '-', '_' and '.', but no '.' first; 'partitions' is taken");
}

/// libslurm takes "n[1-8" for a node "n]".
Result<std::vector<std::string>> read_node_list(const std::string& text)
{
    auto names = std::ranges::count(text, '[') == std::ranges::count(text, ']') ? expand_host_list(text)
                                                                                : std::vector<std::string>();
    if (!names) return names;
    const auto is_name = [](const std::string& name) { return std::ranges::all_of(name, is_host_character); };
    if (!names->empty() && std::ranges::all_of(*names, is_name)) return names;
    return failure(Code::usage, format("'{}' is no list of nodes", printable(text)),
                   "write it as Slurm does: n1,n2 or n[1-8]");
}

Result<MachineClass> class_of_this_node(const InventoryArguments& arguments, const contract::Site& site,
                                        const Result<SlurmView>& view)
{
    auto machine = read_machine(arguments.machine, site);
    if (!machine) return tl::unexpected(machine.error());
    MachineClass found{
        arguments.name.empty() ? host_name() : arguments.name, {}, std::move(*machine), std::time(nullptr)};
    if (!arguments.nodes.empty()) {
        auto names = read_node_list(arguments.nodes);
        if (!names) return tl::unexpected(names.error());
        found.nodes = std::move(*names);
    } else {
        found.nodes = view ? nodes_like(*view, host_name()) : std::vector<std::string>{host_name()};
    }
    std::ranges::sort(found.nodes);
    found.nodes.erase(std::unique(found.nodes.begin(), found.nodes.end()), found.nodes.end());
    return found;
}

Result<void> write_json(const std::string& path, const Json& json)
{
    return replace_file(path, json.dump(1) + "\n", 0644);
}

Result<void> write_class(const std::string& directory, const MachineClass& machine_class)
{
    const std::string path = format("{}/{}.json", directory, machine_class.name);
    if (auto written = write_json(path, to_json(machine_class)); !written) return written;
    print(format("{}: {} node{}", path, machine_class.nodes.size(), machine_class.nodes.size() == 1 ? "" : "s"));
    return {};
}

/// The class that is there first, so that no node is without one for a while.
Result<void> write_classes(const std::string& directory, const PlacedClass& placed)
{
    if (auto written = write_class(directory, placed.placed); !written) return written;
    for (const MachineClass& shrunk : placed.shrunk)
        if (auto written = write_class(directory, shrunk); !written) return written;
    for (const std::string& name : placed.emptied) {
        const std::string path = format("{}/{}.json", directory, name);
        if (::unlink(path.c_str()) != 0) return os_failure(Code::node_act, "remove " + path, errno);
        print(path + ": removed, its nodes are of this class now");
    }
    return {};
}

int write_partitions(const std::string& directory, const Result<SlurmView>& view)
{
    if (!view) {
        remark("partitions.json not written: " + view.error().text);
        return 0;
    }
    const std::string partitions = directory + "/partitions.json";
    if (const auto written = write_json(partitions, to_json(view->partitions)); !written)
        return report(written.error());
    print(format("{}: {} partition{}", partitions, view->partitions.size(),
                 view->partitions.size() == 1 ? "" : "s"));
    return 0;
}

/// What was written must be readable; what somebody else wrote is told.
int check_written(const std::string& directory, const std::string& name)
{
    std::vector<Error> faults;
    if (const auto all = hal::read_readable_inventory(directory, faults); !all) return report(all.error());
    for (const Error& fault : faults) {
        if (fault.text.starts_with(format("{}/{}.json: ", directory, name))) return report(fault);
        remark(format("warning: {}; controllers take nothing new from the directory until this file is mended or removed",
                      fault.text));
    }
    return 0;
}

/// A file that can't be read is what this command may be called to mend: it stands in no one's way.
int write_inventory(const InventoryArguments& arguments, MachineClass found, const Result<SlurmView>& view)
{
    if (const auto made = make_directories(arguments.output, 0755); !made) return report(made.error());
    std::vector<Error> faults;
    const auto known = hal::read_readable_inventory(arguments.output, faults);
    if (!known) return report(known.error());
    const auto placed =
        place_class(std::move(found), *known, !arguments.name.empty(), !arguments.nodes.empty());
    if (const auto written = write_classes(arguments.output, placed); !written) return report(written.error());
    const int status = write_partitions(arguments.output, view);
    return status == 0 ? check_written(arguments.output, placed.placed.name) : status;
}

int list_inventory(const contract::Site& site, bool json)
{
    std::vector<Error> faults;
    const auto inventory = read_inventory_of(site, faults);
    if (!inventory) return report(inventory.error());
    Json list = Json::array();
    for (const MachineClass& known : inventory->classes) {
        list.push_back({{"class", known.name}, {"nodes", known.nodes}, {"written", known.written}});
        if (!json)
            print(format("{:<16} {:>5} nodes  {}", known.name, known.nodes.size(), join(known.nodes, ",")));
    }
    for (const auto& partition : inventory->partitions)
        if (!json) print(format("partition {:<16} {}", partition.name, join(partition.nodes, ",")));
    if (json) print_json(Json{{"mscale_inventory", 1}, {"directory", site.inventory}, {"classes", list}});
    for (const Error& fault : faults) report(fault);
    return faults.empty() ? 0 : exit_status(Kind::system);
}

std::string host_list_of(const InventoryArguments& arguments)
{
    return arguments.nodes.empty() ? host_name() : arguments.nodes;
}

/// Prints the lines in two blocks, each under the name of its file.
int print_gres_lines(const InventoryArguments& arguments, const contract::Site& site)
{
    const auto machine = read_machine(arguments.machine, site);
    if (!machine) return report(machine.error());
    const auto lines =
        contract::make_gres_lines(*machine, host_list_of(arguments), site.gres_name, site.state + "/slices");
    for (const std::string& note : lines.notes) remark(note);
    print("# gres.conf\n" + join(lines.gres_conf, "\n"));
    print("\n# slurm.conf\n" + join(lines.slurm_conf, "\n"));
    return 0;
}

/// In any case, and not in a comment.
bool has_word(std::string_view line, std::string_view wanted)
{
    const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
    return std::ranges::any_of(split(line.substr(0, line.find('#')), ' '), [&](std::string_view word) {
        return std::ranges::equal(trim(word), wanted, same);
    });
}

/// Every GRES that --gres-conf would give needs a line of its own; AutoDetect gives those of whole GPUs.
std::vector<std::string> find_missing_gres(const std::string& text, const std::vector<std::string>& wanted)
{
    std::vector<std::string> missing;
    for (const std::string& line : wanted) {
        const std::size_t at = line.find("Name=", line.find(' '));
        const std::string name = line.substr(at, line.find(' ', at) - at);
        const auto is_given = [&](std::string_view given) {
            return has_word(given, name) || (name == "Name=gpu" && has_word(given, "AutoDetect=nvml"));
        };
        if (std::ranges::none_of(split(text, '\n'), is_given) && !std::ranges::count(missing, name))
            missing.push_back(name);
    }
    return missing;
}

/// Says what is wrong with the lines of a gres.conf that somebody else wrote, and which are missing.
int check_gres_file(const InventoryArguments& arguments, const contract::Site& site)
{
    const auto machine = read_machine(arguments.machine, site);
    if (!machine) return report(machine.error());
    const auto text = read_file(arguments.gres_file);
    if (!text) return report(text.error());
    unsigned number = 0, wrong = 0;
    for (const std::string_view line : split(*text, '\n')) {
        ++number;
        const auto fault = contract::check_gres_line(*machine, line);
        if (!fault) continue;
        ++wrong;
        print(format("{}:{}: {}", arguments.gres_file, number, *fault));
    }
    const auto wanted =
        contract::make_gres_lines(*machine, host_list_of(arguments), site.gres_name, site.state + "/slices");
    for (const std::string& name : find_missing_gres(*text, wanted.gres_conf)) {
        ++wrong;
        print(format("{}: has no line {}: `mscale inventory --gres-conf` prints it", arguments.gres_file,
                     name));
    }
    if (wrong == 0 && wanted.gres_conf.empty())
        print(format("{}: nothing wrong, but {} has no GPU that needs a line in it", arguments.gres_file,
                     machine->name));
    else if (wrong == 0)
        print(format("{}: right for {}", arguments.gres_file, machine->name));
    return wrong == 0 ? 0 : exit_status(Kind::refused);
}

int take_inventory(const InventoryArguments& arguments, const Global& global)
{
    const auto site = contract::read_site(global.config);
    if (!site) return report(site.error());
    if (arguments.list) return list_inventory(*site, arguments.json);
    if (arguments.gres_conf) return print_gres_lines(arguments, *site);
    if (!arguments.gres_file.empty()) return check_gres_file(arguments, *site);
    if (const auto named = check_class_name(arguments.name); !named) return report(named.error());
    const auto view = view_slurm();
    auto found = class_of_this_node(arguments, *site, view);
    if (!found) return report(found.error());
    if (!arguments.output.empty()) return write_inventory(arguments, std::move(*found), view);
    print_json(to_json(*found));
    return 0;
}

} // namespace

void add_inventory(CLI::App& app, const Global& global, Run& run)
{
    auto arguments = std::make_shared<InventoryArguments>();
    CLI::App* command =
        app.add_subcommand("inventory", "Write or list the classes of machines for the controller");
    command->footer(inventory_footer);
    command->add_option("--output", arguments->output, "directory to write to")->type_name("DIR");
    command->add_option("--nodes", arguments->nodes, "nodes of this class, n[1-8]")->type_name("LIST");
    command->add_option("--class", arguments->name, "name of the class (default: this host's)")
        ->type_name("NAME");
    add_machine_options(*command, arguments->machine);
    command->add_flag("--list", arguments->list, "list what [paths] inventory holds");
    command->add_flag("--gres-conf", arguments->gres_conf, "print lines for gres.conf and slurm.conf");
    command
        ->add_option("--check-gres", arguments->gres_file,
                     "say what is wrong with a gres.conf for this machine")
        ->type_name("FILE");
    command->add_flag("--json", arguments->json, "print the list as JSON");
    command->callback([arguments, &global, &run] {
        run = [arguments, &global] { return take_inventory(*arguments, global); };
    });
}

} // namespace mscale::cli
