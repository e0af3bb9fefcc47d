// Slurm's functions that throw a C++ exception where the file `throw` beside slurm.conf names them, one a line, as
// "CONTEXT FUNCTION" (client, remote or script), or that crash, as "CONTEXT FUNCTION crash".  Linked by --wrap between our
// plugin and Slurm: the proof on a real cluster that no exception gets past a hook.
//
// Two hooks call no function of Slurm's that could throw.  There memory runs out: FUNCTION is "option", while Slurm calls the
// option's callback, or "task_init", which alone runs in slurmstepd as the user.
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>

#include <sched.h>
#include <unistd.h>

extern "C" {
#include <slurm/spank.h>

spank_err_t __real_spank_get_item(spank_t handle, spank_item_t item, ...);
spank_err_t __real_spank_option_register(spank_t handle, spank_option* option);
spank_err_t __real_spank_job_control_unsetenv(spank_t handle, const char* name);
spank_err_t __real_spank_setenv(spank_t handle, const char* name, const char* value, int overwrite);
int __real_sched_setaffinity(pid_t pid, std::size_t size, const cpu_set_t* set) noexcept;
}

namespace {

std::string current_context()
{
    switch (spank_context()) {
    case S_CTX_REMOTE: return "remote";
    case S_CTX_JOB_SCRIPT: return "script";
    default: return "client";
    }
}

bool is_told(const std::string& fault)
{
    const char* conf = std::getenv("SLURM_CONF");
    const std::string path = conf ? conf : "";
    std::ifstream lines(path.substr(0, path.rfind('/')) + "/throw");
    for (std::string line; std::getline(lines, line);)
        if (line == current_context() + " " + fault) return true;
    return false;
}

void throw_where_told(const std::string& function)
{
    if (is_told(function + " crash")) std::raise(SIGSEGV);
    if (is_told(function)) throw std::runtime_error("boom in " + function);
}

/// What the callback of the option was before ours was put in its place.
spank_opt_cb_f real_callback;
bool is_in_callback = false, is_asking = false;

int call_back(int value, const char* text, int remote)
{
    is_in_callback = true;
    const int status = real_callback(value, text, remote);
    is_in_callback = false;
    return status;
}

/// Whether memory runs out now.
bool is_exhausted()
{
    const bool is_task_init = spank_context() == S_CTX_REMOTE && ::geteuid() != 0;
    if (is_asking || !(is_in_callback || is_task_init)) return false;
    is_asking = true; // to ask takes memory as well
    const bool exhausted = (is_in_callback && is_told("option")) || (is_task_init && is_told("task_init"));
    is_asking = false;
    return exhausted;
}

} // namespace

void* operator new(std::size_t size)
{
    if (is_exhausted()) throw std::bad_alloc();
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}

void operator delete(void* memory) noexcept
{
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}

extern "C" {

/// `item` is a spank_item_t, as which it must not stand before the dots.
spank_err_t __wrap_spank_get_item(spank_t handle, int item, ...)
{
    throw_where_told("spank_get_item");
    va_list arguments;
    va_start(arguments, item);
    void* value = va_arg(arguments, void*);
    va_end(arguments);
    return __real_spank_get_item(handle, static_cast<spank_item_t>(item), value);
}

spank_err_t __wrap_spank_option_register(spank_t handle, spank_option* option)
{
    throw_where_told("spank_option_register");
    real_callback = option->cb;
    option->cb = call_back;
    return __real_spank_option_register(handle, option);
}

spank_err_t __wrap_spank_job_control_unsetenv(spank_t handle, const char* name)
{
    throw_where_told("spank_job_control_unsetenv");
    return __real_spank_job_control_unsetenv(handle, name);
}

spank_err_t __wrap_spank_setenv(spank_t handle, const char* name, const char* value, int overwrite)
{
    throw_where_told("spank_setenv");
    return __real_spank_setenv(handle, name, value, overwrite);
}

int __wrap_sched_setaffinity(pid_t pid, std::size_t size, const cpu_set_t* set) noexcept
{
    is_asking = true;
    const bool told = is_told("sched_setaffinity");
    is_asking = false;
    if (!told) return __real_sched_setaffinity(pid, size, set);
    errno = EPERM;
    return -1;
}

} // extern "C"
