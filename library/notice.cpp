#include "library/notice.hpp"

#include <array>
#include <atomic>
#include <csignal>

#include <unistd.h>

namespace mscale::library {
namespace {

constexpr std::array<int, 3> notices = {SIGTERM, SIGUSR1, SIGUSR2};

std::atomic<int> caught{0};
std::atomic<pid_t> catching_process{0};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free);

/// Runs as a signal handler: atomics and system calls only.  A child that fork made without the C library is no rank.
void note(int signal)
{
    int none = 0;
    if (::getpid() == catching_process)
        caught.compare_exchange_strong(none, signal);
    else
        obey_notice(signal);
}

bool has_handler(int signal, void (*handler)(int))
{
    struct sigaction action {};
    return ::sigaction(signal, nullptr, &action) == 0 && (action.sa_flags & SA_SIGINFO) == 0 &&
           action.sa_handler == handler;
}

} // namespace

void catch_notices()
{
    catching_process = ::getpid();
    struct sigaction action {};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (const int signal : notices)
        if (has_handler(signal, SIG_DFL)) ::sigaction(signal, &action, nullptr);
}

int caught_notice()
{
    return caught;
}

void release_notices()
{
    caught = 0;
    for (const int signal : notices)
        if (has_handler(signal, note)) ::signal(signal, SIG_DFL);
}

void obey_notice(int signal)
{
    if (has_handler(signal, note)) ::signal(signal, SIG_DFL);
    ::kill(::getpid(), signal);
}

} // namespace mscale::library
