#include "library/role.hpp"

#include <vector>

#include <unistd.h>

#include "base/text.hpp"
#include "library/memory_policy.hpp"

namespace mscale::library {
namespace {

/// Where a thread runs and takes its memory.
struct ThreadPlace {
    CpuSet cpus;
    std::optional<MemoryPolicy> memory;
};

thread_local std::vector<ThreadPlace> places_before;

Result<ThreadPlace> read_place()
{
    auto cpus = read_affinity();
    if (!cpus) return tl::unexpected(cpus.error());
    auto memory = read_memory_policy();
    if (!memory) return tl::unexpected(memory.error());
    return ThreadPlace{std::move(*cpus), std::move(*memory)};
}

Result<void> take_place(const ThreadPlace& place)
{
    auto set = place.memory ? set_memory_policy(*place.memory) : Result<void>();
    auto bound = bind_affinity(::gettid(), place.cpus);
    return set ? bound : set;
}

/// Where the kernel knows one node only, all memory is there.
Result<void> bind_memory(const std::string& role, unsigned numa, const ThreadPlace& before)
{
    if (!before.memory) return {};
    const auto set = set_memory_policy(make_node_policy(numa));
    if (set) return {};
    return restate(Code::apply_cores, set.error(),
                   format("the memory of NUMA node {}, of role '{}': {}", numa, printable(role), set.error().text),
                   "the step's cpuset must hold that node, and a container must let set_mempolicy through");
}

Result<void> bind_thread(const std::string& role, const contract::RolePlace& place, const ThreadPlace& before)
{
    if (auto bound = bind_affinity(::gettid(), place.cpus); !bound) return bound;
    return place.numa ? bind_memory(role, *place.numa, before) : Result<void>();
}

} // namespace

Result<void> enter_role(const std::string& role, const contract::ReadVariable& variable)
{
    const auto place = contract::find_role_place(role, variable);
    if (!place) return tl::unexpected(place.error());
    auto before = read_place();
    if (!before) return tl::unexpected(before.error());
    places_before.reserve(places_before.size() + 1); // so that nothing can fail once the thread is bound
    auto bound = bind_thread(role, *place, *before);
    if (bound)
        places_before.push_back(std::move(*before));
    else
        (void)take_place(*before); // the first error is the one to tell
    return bound;
}

Result<void> leave_role()
{
    if (places_before.empty())
        return failure(Code::role_place, "this thread is in no role", "call mscale_role_leave once for each mscale_role_enter");
    if (auto taken = take_place(places_before.back()); !taken) return taken;
    places_before.pop_back();
    return {};
}

} // namespace mscale::library
