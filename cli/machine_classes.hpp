#pragma once

#include <string>
#include <vector>

#include "hal/inventory.hpp"

namespace mscale::cli {

/// What an inventory becomes by a class that is written.
struct PlacedClass {
    hal::MachineClass placed;
    std::vector<hal::MachineClass> shrunk; ///< classes that lost a node to it, and keep others
    std::vector<std::string> emptied;      ///< names of classes that lost all their nodes
};

/// Pure.  A node lies in one class only: the new one takes its nodes away from all others.  Without a name of its own
/// (`is_named`) it joins the class of equal machines.  What it joins keeps its nodes, unless both name and nodes were given:
/// then these are all.
PlacedClass place_class(hal::MachineClass found, const hal::Inventory& known, bool is_named, bool has_nodes);

} // namespace mscale::cli
