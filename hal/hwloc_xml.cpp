#include <cerrno>
#include <cstdlib>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hwloc.h>

#include "base/handle.hpp"
#include "base/text.hpp"
#include "hal/hwloc_reader.hpp"
#include "hal/probe.hpp"

namespace mscale::hal {
namespace {

constexpr unsigned newest_format = 2; ///< hwloc 2.x writes and reads format 2.x

using Topology = Handle<hwloc_topology_t, hwloc_topology_destroy>;

/// The release of the library that runs: it writes it into each topology that it makes.  hwloc_get_api_version() is the
/// interface's, which stays the same over several releases.
std::string read_own_version()
{
    Topology topology;
    if (hwloc_topology_init(topology.out()) != 0 || hwloc_topology_set_synthetic(topology.pointer(), "pu:1") != 0 ||
        hwloc_topology_load(topology.pointer()) != 0)
        return "of an unknown release";
    const char* const version = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology.pointer()), "hwlocVersion");
    return version != nullptr ? version : "of an unknown release";
}

/// The text of the attribute `version` of the element <topology>; "" when there is none (format 1).
std::string_view find_version(std::string_view text)
{
    const std::size_t element = text.find("<topology");
    if (element == std::string_view::npos) return {};
    const std::string_view head = text.substr(element, text.find('>', element) - element);
    constexpr std::string_view attribute = "version=\"";
    const std::size_t start = head.find(attribute);
    if (start == std::string_view::npos) return {};
    const std::string_view value = head.substr(start + attribute.size());
    return value.substr(0, value.find('"'));
}

/// hwloc itself only prints to stderr, and the versions it prints are not the ones that a reader needs.
Result<void> check_format(std::string_view text, const std::string& path)
{
    if (text.find("<topology") == std::string_view::npos)
        return failure(Code::machine_file, path + ": this is no hwloc XML: it has no <topology>");
    const std::string_view version = find_version(text);
    const auto major = parse_number(version.substr(0, version.find('.')));
    if (version.empty() || (major && *major <= newest_format)) return {};
    return failure(Code::machine_file, format("{}: the XML is of format {}, and hwloc {} of this system reads formats up to {}.x",
                                              path, printable(version), read_own_version(), newest_format));
}

Result<Topology> load(const std::string& text, const std::string& path)
{
    Topology topology;
    if (hwloc_topology_init(topology.out()) != 0)
        return failure(Code::machine_file, path + ": hwloc can't be started");
    hwloc_topology_set_io_types_filter(topology.pointer(), HWLOC_TYPE_FILTER_KEEP_ALL);
    hwloc_topology_set_flags(topology.pointer(), HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    // hwloc counts the terminating zero as a part of the buffer.
    const bool loaded = hwloc_topology_set_xmlbuffer(topology.pointer(), text.c_str(),
                                                     static_cast<int>(text.size() + 1)) == 0 &&
                        hwloc_topology_load(topology.pointer()) == 0;
    if (!loaded) return failure(Code::machine_file, path + ": hwloc can't read this XML");
    // A topology of this system would mean that hwloc had read something else than the file.
    if (hwloc_topology_is_thissystem(topology.pointer()) != 0)
        return failure(Code::machine_file, path + ": hwloc read this system in place of the file");
    return topology;
}

Result<Machine> read_text(const std::string& text, const std::string& path)
{
    const Result<Topology> topology = load(text, path);
    if (!topology) return tl::unexpected(topology.error());
    Machine machine;
    machine.name = path.substr(path.rfind('/') + 1);
    machine.origin = "file " + path;
    read_hwloc_cpus(topology->pointer(), machine);
    read_hwloc_devices(topology->pointer(), machine);
    return machine;
}

[[noreturn]] void try_quietly(const std::string& text, const std::string& path)
{
    const rlimit no_core{};
    setrlimit(RLIMIT_CORE, &no_core);
    ::close(STDERR_FILENO);
    (void)read_text(text, path);
    std::_Exit(0);
}

/// hwloc 2.9 trusts what it reads: a missing set of CPUs or a comma too many ends the whole process.  So a child reads first.
Result<void> try_in_child(const std::string& text, const std::string& path)
{
    const pid_t child = ::fork();
    if (child < 0) return os_failure(Code::machine_file, path, errno);
    if (child == 0) try_quietly(text, path);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (status == 0) return {};
    return failure(Code::machine_file, path + ": hwloc breaks down over this XML: an object lacks an attribute or has a wrong one",
                   "write the file anew with lstopo FILE.xml");
}

} // namespace

Result<Machine> read_hwloc_xml(const std::string& text, const std::string& path)
{
    forget_hwloc_environment();
    if (auto fits = check_format(text, path); !fits) return tl::unexpected(std::move(fits.error()));
    if (auto tried = try_in_child(text, path); !tried) return tl::unexpected(std::move(tried.error()));
    return read_text(text, path);
}

} // namespace mscale::hal
