#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"
#include "hal/machine.hpp"

/// A machine's /sys and /proc in a temporary directory that goes with the test.
class Tree {
public:
    Tree();
    Tree(const Tree&) = delete;
    Tree& operator=(const Tree&) = delete;
    ~Tree();

    const std::string& path() const { return path_; }
    mscale::Root root() const { return mscale::Root(path_); }
    void file(std::string_view name, std::string_view text) const;
    void link(std::string_view name, std::string_view target) const;
    void directory(std::string_view name) const;

    /// Adds CPUs 0 to cpus-1 in one package, `siblings` of one core next to each other, without nodes.
    void cpus(unsigned cpus, unsigned siblings) const;
    void node(unsigned id, std::string_view cpu_list) const;
    /// Adds a PCI device in its place below /sys/devices, with the link in /sys/bus/pci/devices.
    void pci(std::string_view path, std::string_view vendor, std::string_view device_class,
             int numa_node) const;

private:
    std::string path_;
};

inline constexpr std::array model_names = {"hgx-h100-2s", "dgx-a100-nps4", "kvm-flat-numa-1", "gh200-4x"};

/// Lays the manifest of a model (tests/fixtures/cases/topo/NAME.sysfs) out as a tree.
void unpack_model(const std::string& name, const Tree& tree);

/// The model read from its tree.
const mscale::hal::Machine& read_model(const std::string& name);

/// The model read from its hwloc XML.
mscale::hal::Machine read_model_xml(const std::string& name);

/// Reads a tree, which must succeed.
mscale::hal::Machine read_tree(const Tree& tree);

/// The lines of a table of cases below fixtures/cases/values, by column; comments left out, escapes resolved.
std::vector<std::vector<std::string>> read_table(const std::string& name);

/// Whether one of the machine's notes has this part.
bool has_note(const mscale::hal::Machine& machine, std::string_view part);
