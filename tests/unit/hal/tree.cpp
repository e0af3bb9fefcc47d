#include "tests/unit/hal/tree.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>

#include "base/text.hpp"
#include "hal/probe.hpp"
#include "tests/unit/check.hpp"

using namespace mscale;
namespace fs = std::filesystem;

namespace {

/// "\n", "\t", "\r" and "\\" of the manifests and tables as the bytes they stand for.
std::string unescape(std::string_view text)
{
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            plain += text[i];
            continue;
        }
        const char escaped = text[++i];
        plain += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped == 'r' ? '\r' : escaped;
    }
    return plain;
}

/// As an assertion of Check, which aborts outside of a test.
void require(bool holds, const std::string& text)
{
    if (!holds) throw std::runtime_error(text);
}

std::vector<std::string> read_lines(const std::string& path)
{
    std::ifstream file(path);
    require(file.good(), "can't open " + path);
    std::vector<std::string> kept;
    for (std::string line; std::getline(file, line);)
        if (!line.empty() && line.front() != '#') kept.push_back(line);
    return kept;
}

} // namespace

Tree::Tree()
{
    std::string name = (fs::temp_directory_path() / "mscale-hal.XXXXXX").native();
    require(mkdtemp(name.data()) != nullptr, "can't make " + name);
    path_ = name;
}

Tree::~Tree()
{
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

void Tree::file(std::string_view name, std::string_view text) const
{
    const fs::path path = path_ + std::string(name);
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
}

void Tree::link(std::string_view name, std::string_view target) const
{
    const fs::path path = path_ + std::string(name);
    fs::create_directories(path.parent_path());
    fs::create_symlink(target, path);
}

void Tree::directory(std::string_view name) const
{
    fs::create_directories(path_ + std::string(name));
}

void Tree::cpus(unsigned count, unsigned siblings) const
{
    const std::string base = "/sys/devices/system/cpu";
    file(base + "/online", format("0-{}", count - 1));
    for (unsigned cpu = 0; cpu < count; ++cpu) {
        const unsigned first = cpu / siblings * siblings;
        const std::string topology = format("{}/cpu{}/topology/", base, cpu);
        file(topology + "thread_siblings_list", format("{}-{}", first, first + siblings - 1));
        file(topology + "core_id", format("{}", cpu / siblings));
        file(topology + "physical_package_id", "0");
    }
}

void Tree::node(unsigned id, std::string_view cpu_list) const
{
    const std::string base = "/sys/devices/system/node";
    file(base + "/online", id == 0 ? "0" : format("0-{}", id));
    file(format("{}/node{}/cpulist", base, id), cpu_list);
    file(format("{}/node{}/meminfo", base, id),
         format("Node {0} MemTotal:    1048576 kB\nNode {0} MemFree:    524288 kB", id));
}

void Tree::pci(std::string_view path, std::string_view vendor, std::string_view device_class,
               int numa_node) const
{
    const std::string device = "/sys/devices/" + std::string(path);
    file(device + "/vendor", vendor);
    file(device + "/class", device_class);
    file(device + "/numa_node", format("{}", numa_node));
    file(device + "/local_cpulist", "0-3");
    link("/sys/bus/pci/devices/" + device.substr(device.rfind('/') + 1), "../../../" + device.substr(5));
}

void unpack_model(const std::string& name, const Tree& tree)
{
    for (const std::string& line : read_lines(fixture("cases/topo/" + name + ".sysfs"))) {
        const std::vector<std::string_view> fields = split(line, '\t');
        const std::string path = "/" + std::string(fields.at(1));
        if (fields[0] == "D") tree.directory(path);
        if (fields[0] == "L") tree.link(path, fields.at(2));
        if (fields[0] == "F") tree.file(path, unescape(fields.at(2)));
    }
}

hal::Machine read_tree(const Tree& tree)
{
    const Result<hal::Machine> machine = hal::probe_machine({tree.root(), ""});
    require(machine.has_value(), machine ? "" : machine.error().text);
    return *machine;
}

const hal::Machine& read_model(const std::string& name)
{
    static std::map<std::string, hal::Machine> machines;
    const auto known = machines.find(name);
    if (known != machines.end()) return known->second;
    const Tree tree;
    unpack_model(name, tree);
    hal::Machine machine = read_tree(tree);
    machine.name = name; // not that of a temporary directory
    machine.origin = "root " + name;
    return machines.emplace(name, std::move(machine)).first->second;
}


hal::Machine read_model_xml(const std::string& name)
{
    const Result<hal::Machine> machine = hal::read_machine_file(fixture("cases/topo/" + name + ".xml"));
    require(machine.has_value(), machine ? "" : machine.error().text);
    return *machine;
}

std::vector<std::vector<std::string>> read_table(const std::string& name)
{
    std::vector<std::vector<std::string>> rows;
    for (const std::string& line : read_lines(fixture("cases/values/" + name))) {
        std::vector<std::string> row;
        for (const std::string_view field : split(line, '\t')) row.push_back(unescape(field));
        rows.push_back(std::move(row));
    }
    return rows;
}

bool has_note(const hal::Machine& machine, std::string_view part)
{
    return std::any_of(machine.notes.begin(), machine.notes.end(),
                       [&](const std::string& note) { return note.find(part) != std::string::npos; });
}
