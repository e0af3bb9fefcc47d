#include "contract/role_place.hpp"

#include <cctype>
#include <charconv>
#include <cstdlib>

#include "base/text.hpp"

namespace mscale::contract {
namespace {

std::string make_role_part(const std::string& role, const std::string& name)
{
    std::string part = "ROLE_" + role;
    for (char& letter : part) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    return part + "_" + name;
}

std::string find_worker(const ReadVariable& variable)
{
    const std::string rank = variable("LOCAL_RANK");
    return rank.empty() ? variable("SLURM_LOCALID") : rank;
}

std::string make_worker_variable(const std::string& worker, const std::string& role, const std::string& name)
{
    return format("MSCALE_WORKER_{}_{}", worker, make_role_part(role, name));
}

/// A task that starts several workers has variables for each, and one that the contract doesn't know must not share the
/// place of another.
bool has_workers(const std::string& role, const ReadVariable& variable)
{
    return !variable(make_worker_variable("0", role, "CPUS")).empty();
}

Result<std::string> read_cpus(const std::string& role, const ReadVariable& variable)
{
    const std::string worker = find_worker(variable);
    const std::string own = variable(make_worker_variable(worker, role, "CPUS"));
    if (!own.empty()) return own;
    if (!has_workers(role, variable)) return variable("MSCALE_" + make_role_part(role, "CPUS"));
    return failure(Code::role_place, format("LOCAL_RANK {} is no worker of the contract", printable(worker, 20)),
                   "start as many workers in a task as contract.workers says, numbered from 0");
}

tl::unexpected<Error> refuse_role(const std::string& role, const ReadVariable& variable)
{
    if (!has_roles(variable))
        return failure(Code::role_place, "this process runs under no contract: MSCALE_ROLES isn't set",
                       "run it inside a job that was submitted with --mscale-contract");
    return failure(Code::role_place,
                   format("the contract has no cores for a role '{}'; its roles are: {}", printable(role),
                          printable(variable("MSCALE_ROLES"))),
                   "use one of these names, or state role." + printable(role) + ".cores in the contract");
}

Result<std::optional<unsigned>> read_numa(const std::string& role, const ReadVariable& variable)
{
    const std::string text = read_role_variable(role, "NUMA", variable);
    if (text.empty()) return std::nullopt;
    unsigned node = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), node);
    if (error == std::errc() && end == text.data() + text.size()) return node;
    return failure(Code::role_place, format("the NUMA node of role '{}' reads '{}', which is no number", printable(role),
                                            printable(text, 20)),
                   "leave the variables that begin with MSCALE_ROLE as the job has them");
}

} // namespace

std::string read_variable(const std::string& name)
{
    const char* const value = std::getenv(name.c_str());
    return value != nullptr ? value : "";
}

bool has_roles(const ReadVariable& variable)
{
    return !variable("MSCALE_ROLES").empty();
}

std::string read_role_variable(const std::string& role, const std::string& name, const ReadVariable& variable)
{
    if (has_workers(role, variable)) return variable(make_worker_variable(find_worker(variable), role, name));
    return variable("MSCALE_" + make_role_part(role, name));
}

Result<RolePlace> find_role_place(const std::string& role, const ReadVariable& variable)
{
    const auto list = read_cpus(role, variable);
    if (!list) return tl::unexpected(list.error());
    if (list->empty()) return refuse_role(role, variable);
    auto cpus = parse_cpu_list(*list);
    if (!cpus) return tl::unexpected(cpus.error());
    const auto numa = read_numa(role, variable);
    if (!numa) return tl::unexpected(numa.error());
    return RolePlace{std::move(*cpus), *numa};
}

} // namespace mscale::contract
