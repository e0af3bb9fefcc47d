#include "cli/run/srun_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.hpp"

namespace mscale::cli {
namespace {

constexpr std::array<std::string_view, 3> replaced = {"SLURM_NO_KILL=", "PET_MAX_RESTARTS=", "MSCALE_RUN="};

/// Our environment without what would make srun go on with a dead rank, and with torchrun's own restarts off: its option
/// --max-restarts is read from PET_MAX_RESTARTS where it isn't given (library/rank.hpp refuses it otherwise).
std::vector<char*> list_environment()
{
    static char run[] = "MSCALE_RUN=1", no_restarts[] = "PET_MAX_RESTARTS=0";
    std::vector<char*> variables = {run, no_restarts};
    for (char** variable = environ; *variable != nullptr; ++variable)
        if (std::ranges::none_of(replaced, [&](auto name) { return std::string_view(*variable).starts_with(name); }))
            variables.push_back(*variable);
    variables.push_back(nullptr);
    return variables;
}

} // namespace

Result<SrunProcess> SrunProcess::start(const std::vector<std::string>& words, const sigset_t& mask)
{
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &mask);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    pid_t pid = -1;
    const int fault =
        ::posix_spawnp(&pid, arguments[0], nullptr, &attributes, arguments.data(), list_environment().data());
    posix_spawnattr_destroy(&attributes);
    if (fault != 0)
        return failure(Code::node_act, format("can't run {}: {}", words[0], std::strerror(fault)),
                       "put Slurm's commands into PATH");
    Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!pidfd) return os_failure(Code::node_act, "pidfd_open", errno);
    return SrunProcess(pid, std::move(pidfd));
}

void SrunProcess::send(int signal) const
{
    ::syscall(SYS_pidfd_send_signal, pidfd_.number(), signal, nullptr, 0);
}

int SrunProcess::reap() const
{
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace mscale::cli
