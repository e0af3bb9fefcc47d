#include "base/process.hpp"

#include <csignal>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/handle.hpp"
#include "base/text.hpp"
#include "tests/unit/base/suites.hpp"

using namespace mscale;
using namespace std::chrono_literals;

namespace {

constexpr auto ample = 60s;

Outcome run_shell(const std::string& script, const std::string& input = "",
                  std::chrono::milliseconds deadline = ample,
                  const std::vector<std::string>& environment = {})
{
    const auto outcome = run_process({"/bin/sh", "-c", script}, environment, input, deadline);
    ck_assert_msg(outcome.has_value(), "%s", outcome ? "" : outcome.error().text.c_str());
    return *outcome;
}

} // namespace

START_TEST(a_child_gives_its_status_and_both_streams)
{
    const Outcome outcome = run_shell("cat; echo complaint >&2; exit 7", "input");
    ck_assert_int_eq(outcome.status, 7);
    ck_assert(!outcome.timed_out);
    expect_text(outcome.output, "input");
    expect_text(outcome.diagnostics, "complaint\n");
}
END_TEST

START_TEST(a_child_sees_exactly_its_environment)
{
    ck_assert_int_eq(setenv("MSCALE_LEAK", "1", 1), 0);
    const auto outcome = run_process({"/usr/bin/env"}, {"A=1"}, "", ample);
    expect_text(outcome->output, "A=1\n");
}
END_TEST

START_TEST(a_child_inherits_no_open_file)
{
    const Fd leaky(::fcntl(STDERR_FILENO, F_DUPFD, 50)); // as a careless host would: without O_CLOEXEC
    ck_assert_int_eq(leaky.number(), 50);
    ck_assert_int_eq(run_shell("[ -e /proc/$$/fd/2 ] && [ ! -e /proc/$$/fd/50 ]").status, 0);
}
END_TEST

START_TEST(a_child_gets_the_descriptors_that_are_passed_from_three_on)
{
    const Fd first(memfd_create("first", MFD_CLOEXEC)), second(memfd_create("second", MFD_CLOEXEC));
    const auto outcome = run_process({"/bin/sh", "-c", "readlink /proc/self/fd/3 /proc/self/fd/4; [ ! -e /proc/$$/fd/5 ]"}, {}, "",
                                     ample, default_death_limit, {second.number(), first.number()});
    ck_assert_int_eq(outcome->status, 0);
    expect_text(outcome->output, "/memfd:second (deleted)\n/memfd:first (deleted)\n");
}
END_TEST

START_TEST(a_child_that_reads_nothing_doesnt_kill_the_caller)
{
    ck_assert_int_eq(run_shell("exec <&-; exit 3", std::string(1 << 20, 'x')).status, 3);
}
END_TEST

START_TEST(the_whole_group_dies_at_the_deadline)
{
    const Outcome outcome = run_shell("sleep 1000 & echo $!; sleep 1000", "", 300ms);
    ck_assert(outcome.timed_out);
    ck_assert_int_eq(outcome.status, 128 + SIGKILL);
    const auto grandchild = parse_number(trim(outcome.output));
    ck_assert(grandchild.has_value());
    const auto identity = identify_process(static_cast<pid_t>(*grandchild));
    for (int i = 0; identity && is_alive(*identity) && i < 1000; ++i) usleep(10000);
    ck_assert(!identity || !is_alive(*identity));
}
END_TEST

START_TEST(a_grandchild_that_keeps_the_streams_doesnt_hold_the_caller)
{
    const Outcome outcome = run_shell("sleep 1000 & echo $!");
    ck_assert_int_eq(outcome.status, 0);
    const auto grandchild = parse_number(trim(outcome.output));
    ck_assert(grandchild.has_value());
    kill(static_cast<pid_t>(*grandchild), SIGKILL);
}
END_TEST

START_TEST(output_beyond_the_limit_is_dropped_and_the_child_ends)
{
    const Outcome outcome = run_shell("head -c 3000000 /dev/zero; head -c 200000 /dev/zero >&2");
    ck_assert_int_eq(outcome.status, 0);
    ck_assert_uint_eq(outcome.output.size(), 1 << 20);
    ck_assert_uint_eq(outcome.diagnostics.size(), 64 << 10);
}
END_TEST

START_TEST(a_signal_is_told_as_128_and_its_number)
{
    ck_assert_int_eq(run_shell("kill -SEGV $$").status, 128 + SIGSEGV);
}
END_TEST

START_TEST(blocked_signals_of_the_caller_are_open_in_the_child)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    ck_assert_int_eq(run_shell("kill -TERM $$; exit 0").status, 128 + SIGTERM);
}
END_TEST

START_TEST(what_cant_be_started_is_an_error_with_its_name)
{
    const auto outcome = run_process({"/absent/program"}, {}, "", ample);
    ck_assert(!outcome);
    ck_assert(outcome.error().text.find("/absent/program") != std::string::npos);
}
END_TEST

START_TEST(a_caller_without_standard_streams_is_served_too)
{
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) close(fd);
    const Outcome outcome = run_shell("cat; echo complaint >&2", "input");
    expect_text(outcome.output, "input");
    expect_text(outcome.diagnostics, "complaint\n");
}
END_TEST

START_TEST(a_process_is_known_by_its_start_too)
{
    const ProcessId self = identify_process(getpid()).value();
    ck_assert(is_alive(self));
    ck_assert(!is_alive({self.pid, self.start_time + 1}));
    ck_assert(!identify_process(0x7FFFFFFF));
}
END_TEST

START_TEST(a_zombie_is_not_alive)
{
    const pid_t child = fork();
    if (child == 0) _exit(0);
    siginfo_t info = {};
    waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
    const auto identity = identify_process(child);
    ck_assert(identity.has_value() && !is_alive(*identity));
    waitpid(child, nullptr, 0);
}
END_TEST

Suite* process_suite()
{
    return make_suite(
        "process", a_child_gives_its_status_and_both_streams, a_child_sees_exactly_its_environment,
        a_child_inherits_no_open_file, a_child_gets_the_descriptors_that_are_passed_from_three_on, a_child_that_reads_nothing_doesnt_kill_the_caller,
        the_whole_group_dies_at_the_deadline, a_grandchild_that_keeps_the_streams_doesnt_hold_the_caller,
        output_beyond_the_limit_is_dropped_and_the_child_ends, a_signal_is_told_as_128_and_its_number,
        blocked_signals_of_the_caller_are_open_in_the_child, what_cant_be_started_is_an_error_with_its_name,
        a_caller_without_standard_streams_is_served_too, a_process_is_known_by_its_start_too,
        a_zombie_is_not_alive);
}
