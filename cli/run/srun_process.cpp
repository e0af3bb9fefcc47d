#include "cli/run/srun_process.hpp"

#include <cerrno>
#include <cstring>

#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.hpp"

namespace mscale::cli {
namespace {

/// Our environment without what would make srun go on with a dead rank.
std::vector<char*> list_environment()
{
    std::vector<char*> variables;
    for (char** variable = environ; *variable != nullptr; ++variable)
        if (std::strncmp(*variable, "SLURM_NO_KILL=", 14) != 0) variables.push_back(*variable);
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
