#include "base/json.hpp"
#include "base/text.hpp"
#include "hal/machine_json.hpp"
#include "hal/probe.hpp"

namespace mscale::hal {
namespace {

constexpr std::size_t machine_limit = 64u << 20;

/// The machine itself, or the one of a class of the inventory.
Result<Machine> read_json(const std::string& text, const std::string& path)
{
    const Result<Json> json = parse_json(text, path);
    if (!json) return failure(Code::machine_file, json.error().text);
    const bool is_class = json->is_object() && json->contains("machine");
    Result<Machine> machine =
        is_class ? machine_from_json((*json)["machine"], path + ": /machine") : machine_from_json(*json, path);
    if (!machine) return failure(Code::machine_file, machine.error().text);
    machine->origin = "file " + path;
    return machine;
}

} // namespace

Result<Machine> read_machine_file(const std::string& path)
{
    const Result<std::string> text = read_stream(path, machine_limit);
    if (!text) return restate(Code::machine_file, text.error(), text.error().text);
    const std::string_view content = trim(*text);
    if (content.starts_with("{")) return read_json(*text, path);
    if (content.starts_with("<")) return read_hwloc_xml(*text, path);
    return failure(Code::machine_file, path + ": this is neither JSON nor XML");
}

} // namespace mscale::hal
