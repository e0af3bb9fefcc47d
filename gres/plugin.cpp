#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "gres/slice_lines.hpp"
#include "gres/slurm_abi.hpp"

// gres_sm.so: slices of a GPU that Slurm tracks one by one.  Slurm looks each hook up by its name, so the
// union of the names of 22.05 to 26.05 stands here; what a version doesn't know it doesn't call.

#define HOOK extern "C" [[gnu::visibility("default")]]

HOOK const char plugin_name[];
HOOK const char plugin_type[];
HOOK const std::uint32_t plugin_version;
const char plugin_name[] = "mscale slices of a GPU";
const char plugin_type[] = "gres/sm";
const std::uint32_t plugin_version = SLURM_VERSION_NUMBER;

namespace mscale::gres {

namespace {

constexpr const char* environment_name = "MSCALE_SM_SLICES";

/// Runs a hook's body; nothing is thrown into Slurm.
template <class Body> int edge(const char* hook, Body body) noexcept
{
    try {
        return body();
    } catch (const std::exception& e) {
        slurm_error("mscale: gres/sm: %s: %s", hook, e.what());
    } catch (...) {
        slurm_error("mscale: gres/sm: %s: unknown exception", hook);
    }
    return SLURM_ERROR;
}

std::vector<std::string> expand(const char* expression)
{
    std::vector<std::string> names;
    if (!expression) return names;
    auto list = slurm_hostlist_create(expression);
    if (!list) return names;
    while (char* name = slurm_hostlist_shift(list)) {
        names.emplace_back(name);
        std::free(name);
    }
    slurm_hostlist_destroy(list);
    return names;
}

int collect_line(void* item, void* argument)
{
    return edge("node_config_load", [&] {
        const auto& line = *static_cast<const ConfigurationLine*>(item);
        if (line.name && std::strcmp(line.name, "sm") == 0 && line.count > 0)
            static_cast<std::vector<SliceLine>*>(argument)->push_back({line.count, expand(line.file)});
        return SLURM_SUCCESS;
    });
}

int check_configuration(SlurmList* lines)
{
    std::vector<SliceLine> slices;
    if (lines && slurm_list_for_each(lines, collect_line, &slices) < 0) return SLURM_ERROR;
    const std::string fault = find_fault(slices);
    if (fault.empty()) return SLURM_SUCCESS;
    slurm_error("mscale: gres/sm: slurmd doesn't start: %s", fault.c_str());
    return SLURM_ERROR;
}

/// Names the slices in an environment; without slices an inherited name is removed, so that a step that was
/// given none doesn't believe it holds its job's.
void set_slices(char*** environment, bitstr_t* bits)
{
    if (!environment) return;
    char* text = bits ? slurm_bit_fmt_full(bits) : nullptr;
    if (text && *text)
        slurm_env_array_overwrite(environment, environment_name, text);
    else if (*environment)
        slurm_unsetenvp(*environment, environment_name);
    slurm_xfree(reinterpret_cast<void**>(&text));
}

template <class T> T* allocate(std::size_t count)
{
    return static_cast<T*>(slurm_xcalloc(count, sizeof(T), true, false, __FILE__, __LINE__, __func__));
}

PrologState* build_prolog_state(const JobState* job)
{
    auto* state = allocate<PrologState>(1);
    if (!job || job->node_count == 0) return state;
    state->node_count = job->node_count;
    state->bits = allocate<bitstr_t*>(job->node_count);
    state->counts = allocate<std::uint64_t>(job->node_count);
    for (std::uint32_t node = 0; node < job->node_count; ++node) {
        if (job->bits && job->bits[node]) state->bits[node] = slurm_bit_copy(job->bits[node]);
        if (job->counts) state->counts[node] = job->counts[node];
    }
    return state;
}

void set_prolog_slices(char*** environment, const PrologState* state, int node)
{
    if (!state || !state->bits || node < 0 || static_cast<std::uint32_t>(node) >= state->node_count) return;
    set_slices(environment, state->bits[node]);
}

SlurmList* empty_list()
{
    static SlurmList* list = slurm_list_create(nullptr);
    return list;
}

} // namespace

} // namespace mscale::gres

using namespace mscale::gres;

HOOK int init()
{
    return SLURM_SUCCESS;
}
HOOK int fini()
{
    return SLURM_SUCCESS;
}

HOOK int gres_p_node_config_load(SlurmList* lines, void*)
{
    return edge("node_config_load", [&] { return check_configuration(lines); });
}

HOOK void gres_p_job_set_env(char*** environment, bitstr_t* bits, std::uint64_t, int)
{
    set_slices(environment, bits);
}
HOOK void gres_p_step_set_env(char*** environment, bitstr_t* bits, std::uint64_t, int)
{
    set_slices(environment, bits);
}
HOOK void gres_p_task_set_env(char*** environment, bitstr_t* bits, std::uint64_t, bitstr_t*, int)
{
    set_slices(environment, bits);
}

// Slices have no state of their own in slurmd that a slurmstepd would need.
HOOK void gres_p_send_stepd(void*) {}
HOOK void gres_p_recv_stepd(void*) {}
HOOK int gres_p_get_job_info(JobState*, std::uint32_t, int, void*)
{
    return EINVAL;
}
HOOK int gres_p_get_step_info(void*, std::uint32_t, int, void*)
{
    return EINVAL;
}
HOOK void gres_p_step_hardware_init(bitstr_t*, char*) {}
HOOK void gres_p_step_hardware_fini() {}

// An empty list and not a null pointer: with that every step logs an error.
HOOK SlurmList* gres_p_get_devices()
{
    return empty_list();
}

HOOK PrologState* gres_p_prep_build_env(JobState* job)
{
    return build_prolog_state(job);
}
HOOK void gres_p_prep_set_env(char*** environment, PrologState* state, int node)
{
    set_prolog_slices(environment, state, node);
}

// The names of 22.05 for the two above.
HOOK PrologState* gres_p_epilog_build_env(JobState* job)
{
    return build_prolog_state(job);
}
HOOK void gres_p_epilog_set_env(char*** environment, PrologState* state, int node)
{
    set_prolog_slices(environment, state, node);
}
