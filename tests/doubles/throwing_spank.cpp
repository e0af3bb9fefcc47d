// Slurm's functions that throw a C++ exception where the file `throw` beside slurm.conf names them, one a line, as
// "CONTEXT FUNCTION" (client, remote or script).  Linked by --wrap between our plugin and Slurm: the proof on a real
// cluster that no exception gets past a hook.
#include <cstdarg>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>

extern "C" {
#include <slurm/spank.h>

spank_err_t __real_spank_get_item(spank_t handle, spank_item_t item, ...);
spank_err_t __real_spank_option_register(spank_t handle, spank_option* option);
spank_err_t __real_spank_job_control_unsetenv(spank_t handle, const char* name);
spank_err_t __real_spank_setenv(spank_t handle, const char* name, const char* value, int overwrite);
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

void throw_where_told(const std::string& function)
{
    const char* conf = std::getenv("SLURM_CONF");
    const std::string path = conf ? conf : "";
    std::ifstream lines(path.substr(0, path.rfind('/')) + "/throw");
    for (std::string line; std::getline(lines, line);)
        if (line == current_context() + " " + function) throw std::runtime_error("boom in " + function);
}

} // namespace

extern "C" {

spank_err_t __wrap_spank_get_item(spank_t handle, spank_item_t item, ...)
{
    throw_where_told("spank_get_item");
    va_list arguments;
    va_start(arguments, item);
    void* value = va_arg(arguments, void*);
    va_end(arguments);
    return __real_spank_get_item(handle, item, value);
}

spank_err_t __wrap_spank_option_register(spank_t handle, spank_option* option)
{
    throw_where_told("spank_option_register");
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

} // extern "C"
