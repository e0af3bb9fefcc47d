#include "spank/spank_slurm.hpp"

#include <cstdlib>

#include <unistd.h>

extern "C" {
#include <slurm/spank.h> // its hooks are declared outside its own extern "C"
}

#include "base/text.hpp"

namespace mscale::spank {
namespace {

Result<void> check(spank_err_t status, const std::string& what)
{
    if (status == ESPANK_SUCCESS) return {};
    return failure(Code::plugin_missing, format("{}: Slurm says: {}", what, spank_strerror(status)));
}

template <class Value>
Result<void> read_item(spank_t handle, spank_item_t item, Value* value, const char* what)
{
    return check(spank_get_item(handle, item, value), what);
}

std::string read_cores(spank_t handle, spank_item_t item)
{
    char* cores = nullptr;
    return spank_get_item(handle, item, &cores) == ESPANK_SUCCESS && cores ? cores : "";
}

/// The part of the line after the "mscale: " that every line of ours begins with in Slurm's log.
void log_line_to_slurm(Level level, const std::string& line)
{
    switch (level) {
    case Level::error: slurm_error("mscale: %s", line.c_str()); break;
    case Level::info: slurm_info("mscale: %s", line.c_str()); break;
    case Level::debug: slurm_debug("mscale: %s", line.c_str()); break;
    }
}

char option_text[] = "mscale-contract";
char option_argument[] = "[+]PROFILE|@FILE|CLAUSE=VALUE,...";
char option_usage[] = "what the job needs of its machines, honoured or refused (man 7 mscale-contract)";

} // namespace

Context SpankSlurm::context()
{
    switch (spank_context()) {
    case S_CTX_ALLOCATOR: return Context::allocator;
    case S_CTX_LOCAL: return Context::local;
    case S_CTX_REMOTE: return Context::remote;
    case S_CTX_JOB_SCRIPT: return Context::job_script;
    default: return Context::other;
    }
}

Result<void> SpankSlurm::register_option()
{
    spank_option option = {option_text, option_argument, option_usage, 1, 0, callback_};
    return check(spank_option_register(handle_, &option), "registering --mscale-contract");
}

Result<void> SpankSlurm::set_job_control(const std::string& name, const std::string& value)
{
    return check(spank_job_control_setenv(handle_, name.c_str(), value.c_str(), 1),
                 "handing the contract over");
}

void SpankSlurm::unset_job_control(const std::string& name)
{
    spank_job_control_unsetenv(handle_, name.c_str());
}

Result<std::uint32_t> SpankSlurm::read_job_id()
{
    std::uint32_t job_id = 0;
    const auto read = read_item(handle_, S_JOB_ID, &job_id, "the job's number");
    if (!read) return tl::unexpected(read.error());
    return job_id;
}

Result<StepFacts> SpankSlurm::read_step()
{
    StepFacts facts;
    uid_t uid = 0;
    std::uint32_t tasks = 0;
    auto read = read_item(handle_, S_JOB_ID, &facts.job_id, "the job's number");
    if (read) read = read_item(handle_, S_JOB_STEPID, &facts.step_id, "the step's number");
    if (read) read = read_item(handle_, S_JOB_UID, &uid, "the job's user");
    if (read) read = read_item(handle_, S_JOB_LOCAL_TASK_COUNT, &tasks, "the number of tasks");
    if (!read) return tl::unexpected(read.error());
    facts.uid = uid;
    facts.tasks = tasks;
    facts.job_cores = read_cores(handle_, S_JOB_ALLOC_CORES);
    facts.step_cores = read_cores(handle_, S_STEP_ALLOC_CORES);
    return facts;
}

Result<unsigned> SpankSlurm::read_local_task()
{
    int local_id = 0;
    const auto read = read_item(handle_, S_TASK_ID, &local_id, "the task's number");
    if (!read) return tl::unexpected(read.error());
    return static_cast<unsigned>(local_id);
}

std::vector<std::string> SpankSlurm::list_environment()
{
    char** environment = nullptr;
    std::vector<std::string> entries;
    if (spank_get_item(handle_, S_JOB_ENV, &environment) != ESPANK_SUCCESS || !environment) return entries;
    for (; *environment; ++environment) entries.emplace_back(*environment);
    return entries;
}

Result<void> SpankSlurm::set_environment(const std::string& name, const std::string& value)
{
    return check(spank_setenv(handle_, name.c_str(), value.c_str(), 1), "setting " + name);
}

void SpankSlurm::unset_environment(const std::string& name)
{
    spank_unsetenv(handle_, name.c_str());
}

void SpankSlurm::tell(Level level, const char* line) noexcept
{
    if (level == Level::error)
        slurm_error("%s", line);
    else
        slurm_spank_log("%s", line);
}

void SpankSlurm::end_process() noexcept
{
    if (spank_context() == S_CTX_REMOTE)
        ::_exit(EXIT_FAILURE); // a forked task: nothing of slurmstepd's may run again
    std::exit(EXIT_FAILURE);
}

void log_to_slurm(Level level)
{
    set_sink(log_line_to_slurm);
    set_level(level);
}

} // namespace mscale::spank
