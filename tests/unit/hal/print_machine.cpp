#include <iostream>

#include "base/json.hpp"
#include "hal/machine_json.hpp"
#include "hal/machine_text.hpp"
#include "hal/probe.hpp"

using namespace mscale;

/// print_machine json|COLUMNS ROOT-OR-FILE: a machine's JSON or drawing, for the test of the schema and for
/// looking at it.
int main(int count, char** arguments)
{
    if (count != 3) return 2;
    const std::string form = arguments[1], path = arguments[2];
    const bool is_file = path.ends_with(".xml") || path.ends_with(".json");
    const Result<hal::Machine> machine =
        is_file ? hal::read_machine_file(path) : hal::probe_machine({Root(path), ""});
    if (!machine) {
        std::cerr << to_line(machine.error()) << '\n';
        return 1;
    }
    if (form == "json")
        std::cout << hal::to_json(*machine).dump(1) << '\n';
    else
        std::cout << hal::draw_machine(*machine, static_cast<unsigned>(std::stoul(form)));
    return 0;
}
