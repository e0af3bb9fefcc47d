// The map of the plugin: which hook of Slurm does what.  Each goes through edge(), and nothing gets past it.
#include <unistd.h>

#pragma GCC visibility push(default)
extern "C" {
#include <slurm/spank.h> // its hooks are declared outside its own extern "C"
}
#pragma GCC visibility pop

#include "spank/arguments.hpp"
#include "spank/edge.hpp"
#include "spank/epilog.hpp"
#include "spank/options.hpp"
#include "spank/prolog.hpp"
#include "spank/spank_slurm.hpp"
#include "spank/step.hpp"
#include "spank/submit.hpp"
#include "spank/task.hpp"

namespace mscale::spank {
namespace {

/// What one process keeps between its hooks.
struct Plugin {
    Arguments arguments;
    Request request;
    StepState step;
    TaskState task;
};

/// Never destroyed: slurmstepd ends while its tasks' copies may still run.
Plugin& plugin()
{
    static Plugin* const instance = new Plugin;
    return *instance;
}

bool is_client(Context context)
{
    return context == Context::allocator || context == Context::local;
}

/// Slurm's callback, once for each --mscale-contract.
int take_option(int, const char* text, int remote)
{
    SpankSlurm slurm(nullptr, nullptr);
    return edge(slurm, "the option", remote ? Decision::go_on : Decision::refuse, [&] {
        if (remote)
            plugin().step.option_seen = true;
        else
            plugin().request.texts.emplace_back(text ? text : "");
        return Decision::go_on;
    });
}

/// Slurm calls init everywhere but in a prolog and epilog, which begin with this.
const Arguments& read_arguments(int count, char** words)
{
    plugin().arguments = parse_arguments(count, words);
    log_to_slurm(plugin().arguments.level);
    return plugin().arguments;
}

Decision start(Slurm& slurm, int count, char** words)
{
    read_arguments(count, words);
    const Context context = slurm.context();
    if (is_client(context)) read_client_environment(plugin().request);
    if (!is_client(context) && context != Context::remote) return Decision::go_on;
    const auto registered = slurm.register_option();
    if (!registered) log_error("init", registered.error());
    return Decision::go_on;
}

Decision read_options(Slurm& slurm)
{
    if (is_client(slurm.context())) return hand_over_contract(slurm, plugin().request, plugin().arguments);
    if (slurm.context() != Context::remote) return Decision::go_on;
    return learn_step(slurm, plugin().step, plugin().arguments, environ);
}

Decision begin_task(Slurm& slurm)
{
    if (plugin().step.stage == StepState::Stage::unread)
        learn_step(slurm, plugin().step, plugin().arguments, environ);
    return admit_task(slurm, plugin().step, plugin().task);
}

template <class Act> int run_hook(spank_t handle, const char* name, Decision on_exception, Act act) noexcept
{
    SpankSlurm slurm(handle, take_option);
    return edge(slurm, name, on_exception, [&] { return act(slurm); });
}

} // namespace
} // namespace mscale::spank

using namespace mscale::spank;

extern "C" {

extern const char plugin_name[] __attribute__((visibility("default"))) = "mscale";
extern const char plugin_type[] __attribute__((visibility("default"))) = "spank";
extern const unsigned int plugin_version __attribute__((visibility("default"))) = SLURM_VERSION_NUMBER;
extern const unsigned int spank_plugin_version __attribute__((visibility("default"))) = 1;

int slurm_spank_init(spank_t handle, int count, char** words)
{
    return run_hook(handle, "init", Decision::go_on,
                    [&](Slurm& slurm) { return start(slurm, count, words); });
}

int slurm_spank_init_post_opt(spank_t handle, int, char**)
{
    const auto on_exception = spank_remote(handle) == 1 ? Decision::go_on : Decision::refuse;
    return run_hook(handle, "init_post_opt", on_exception, read_options);
}

int slurm_spank_job_prolog(spank_t handle, int count, char** words)
{
    return run_hook(handle, "job_prolog", Decision::go_on, [&](Slurm& slurm) {
        return apply_contract(slurm, read_arguments(count, words), environ);
    });
}

int slurm_spank_task_init_privileged(spank_t handle, int, char**)
{
    return run_hook(handle, "task_init_privileged", Decision::refuse, begin_task);
}

int slurm_spank_task_init(spank_t handle, int, char**)
{
    return run_hook(handle, "task_init", Decision::refuse,
                    [](Slurm& slurm) { return bind_task(slurm, plugin().step, plugin().task); });
}

int slurm_spank_job_epilog(spank_t handle, int count, char** words)
{
    return run_hook(handle, "job_epilog", Decision::go_on, [&](Slurm& slurm) {
        return release_contract(slurm, read_arguments(count, words), environ);
    });
}

} // extern "C"
