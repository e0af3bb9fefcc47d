// run_process alone: a caller may have many threads and a lock held by any of them, so nothing of ours runs
// between fork and exec (posix_spawn), and no signal can reach the caller (stdin is a file, not a pipe).
#include "base/process.hpp"

#include <algorithm>
#include <array>
#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/handle.hpp"
#include "base/text.hpp"

namespace mscale {
namespace {

using Clock = std::chrono::steady_clock;
using Actions = Handle<posix_spawn_file_actions_t*, posix_spawn_file_actions_destroy>;
using Attributes = Handle<posix_spawnattr_t*, posix_spawnattr_destroy>;

constexpr std::size_t output_limit = 1 << 20, diagnostics_limit = 64 << 10;

tl::unexpected<Error> spawn_failure(const std::string& program, std::string_view what, int error_number)
{
    return os_failure(Code::node_act, format("run {}: {}", program, what), error_number);
}

/// A caller with closed standard descriptors gets their numbers again: out of the way of the child's dup2.
Fd move_above_stderr(Fd fd)
{
    if (!fd || fd.number() > STDERR_FILENO) return fd;
    return Fd(::fcntl(fd.number(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

struct Pipe {
    Fd read_end, write_end;
};

Pipe make_pipe()
{
    std::array<int, 2> ends = {-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
    Pipe pipe{move_above_stderr(Fd(ends[0])), move_above_stderr(Fd(ends[1]))};
    ::fcntl(pipe.read_end.number(), F_SETFL, O_NONBLOCK);
    return pipe;
}

Fd make_input(const std::string& input)
{
    Fd file = move_above_stderr(Fd(::memfd_create("mscale-input", MFD_CLOEXEC)));
    if (!file) return file;
    const ssize_t written = ::pwrite(file.number(), input.data(), input.size(), 0);
    return written == static_cast<ssize_t>(input.size()) ? std::move(file) : Fd();
}

struct Streams {
    Fd input;
    Pipe output, diagnostics;
    std::vector<Fd> passed; ///< copies above all numbers that they get in the child
    bool complete() const
    {
        return input && output.write_end && diagnostics.write_end &&
               std::ranges::all_of(passed, [](const Fd& fd) { return fd.number() >= 0; });
    }
};

constexpr int first_passed = STDERR_FILENO + 1;

std::vector<Fd> copy_passed(const std::vector<int>& descriptors)
{
    const int above = first_passed + static_cast<int>(descriptors.size());
    std::vector<Fd> copies;
    for (const int descriptor : descriptors) copies.emplace_back(::fcntl(descriptor, F_DUPFD_CLOEXEC, above));
    return copies;
}

std::vector<char*> pointers_of(const std::vector<std::string>& words)
{
    std::vector<char*> pointers;
    for (const auto& word : words)
        pointers.push_back(const_cast<char*>(word.c_str())); // exec doesn't write to them
    pointers.push_back(nullptr);
    return pointers;
}

void fill_attributes(posix_spawnattr_t* attributes)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setflags(attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(attributes, 0);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &all);
}

int fill_actions(posix_spawn_file_actions_t* actions, const Streams& streams)
{
    int fault = posix_spawn_file_actions_adddup2(actions, streams.input.number(), STDIN_FILENO);
    if (fault == 0)
        fault = posix_spawn_file_actions_adddup2(actions, streams.output.write_end.number(), STDOUT_FILENO);
    if (fault == 0)
        fault =
            posix_spawn_file_actions_adddup2(actions, streams.diagnostics.write_end.number(), STDERR_FILENO);
    int next = first_passed;
    for (const Fd& fd : streams.passed)
        if (fault == 0) fault = posix_spawn_file_actions_adddup2(actions, fd.number(), next++);
    if (fault == 0) fault = posix_spawn_file_actions_addclosefrom_np(actions, next);
    return fault;
}

Result<pid_t> spawn(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
                    const Streams& streams)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (int fault = posix_spawn_file_actions_init(&actions))
        return spawn_failure(arguments[0], "file actions", fault);
    const Actions owned_actions(&actions);
    if (int fault = posix_spawnattr_init(&attributes))
        return spawn_failure(arguments[0], "attributes", fault);
    const Attributes owned_attributes(&attributes);
    fill_attributes(&attributes);
    if (int fault = fill_actions(&actions, streams))
        return spawn_failure(arguments[0], "file actions", fault);
    pid_t pid = 0;
    const auto argument_pointers = pointers_of(arguments), environment_pointers = pointers_of(environment);
    const int fault = posix_spawn(&pid, arguments[0].c_str(), &actions, &attributes, argument_pointers.data(),
                                  environment_pointers.data());
    if (fault != 0) return spawn_failure(arguments[0], "exec", fault);
    return pid;
}

/// Takes what is there now; what is beyond `limit` is read and dropped, so that the child never blocks on it.
void drain(Fd& from, std::string& into, std::size_t limit)
{
    std::array<char, 16 << 10> piece;
    for (;;) {
        const ssize_t got = ::read(from.number(), piece.data(), piece.size());
        if (got > 0) into.append(piece.data(), std::min(static_cast<std::size_t>(got), limit - into.size()));
        if (got > 0 || (got < 0 && errno == EINTR)) continue;
        if (got == 0) from = Fd();
        return;
    }
}

int wait_milliseconds(Clock::time_point until)
{
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60000));
}

/// Reads both streams until the child ends (true) or the time is over (false).
bool follow(const Fd& child, Streams& streams, Outcome& outcome, Clock::time_point until)
{
    for (;;) {
        std::array<pollfd, 3> waits = {{{child.number(), POLLIN, 0},
                                        {streams.output.read_end.number(), POLLIN, 0},
                                        {streams.diagnostics.read_end.number(), POLLIN, 0}}};
        const int ready = ::poll(waits.data(), waits.size(), wait_milliseconds(until));
        if (ready < 0 && errno != EINTR) return false;
        if (ready > 0 && waits[1].revents != 0) drain(streams.output.read_end, outcome.output, output_limit);
        if (ready > 0 && waits[2].revents != 0)
            drain(streams.diagnostics.read_end, outcome.diagnostics, diagnostics_limit);
        if (ready > 0 && waits[0].revents != 0) return true;
        if (Clock::now() >= until) return false;
    }
}

Result<int> reap(pid_t pid, const std::string& program)
{
    int status = 0;
    pid_t reaped = 0;
    do reaped = ::waitpid(pid, &status, WNOHANG);
    while (reaped < 0 && errno == EINTR);
    if (reaped < 0) return spawn_failure(program, "its exit status was taken by somebody else", errno);
    if (reaped == 0) return 128 + SIGKILL; // killed, and still in the kernel's hands
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

Result<Outcome> run_process(const std::vector<std::string>& arguments,
                            const std::vector<std::string>& environment, const std::string& input,
                            std::chrono::milliseconds deadline, std::chrono::milliseconds death_limit,
                            const std::vector<int>& passed)
{
    const auto until = Clock::now() + deadline;
    Streams streams{make_input(input), make_pipe(), make_pipe(), copy_passed(passed)};
    if (!streams.complete()) return spawn_failure(arguments[0], "pipes", errno);
    const auto pid = spawn(arguments, environment, streams);
    if (!pid) return tl::unexpected(pid.error());
    streams.output.write_end = Fd();
    streams.diagnostics.write_end = Fd();
    const Fd child(static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0)));
    Outcome outcome;
    if (!child || !follow(child, streams, outcome, until)) {
        ::kill(-*pid, SIGKILL);
        outcome.timed_out = true;
        if (child) follow(child, streams, outcome, Clock::now() + death_limit);
    }
    const auto status = reap(*pid, arguments[0]);
    if (!status) return tl::unexpected(status.error());
    outcome.status = *status;
    return outcome;
}

} // namespace mscale
