// Which `mscale run` takes care of a job.
#include "daemon/mscaled/attached_runs.hpp"

#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/daemon/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;

namespace {

/// A process that does nothing until it is ended.
struct Idle {
    Idle() : pid(fork())
    {
        while (pid == 0) pause();
    }
    ~Idle() { end(); }
    void end()
    {
        if (pid > 0) {
            kill(pid, SIGKILL);
            waitpid(pid, nullptr, 0);
        }
        pid = 0;
    }

    pid_t pid;
};

} // namespace

START_TEST(a_second_run_of_a_job_is_refused_while_the_first_lives)
{
    AttachedRuns runs;
    Idle first;
    ck_assert(runs.attach(7, first.pid) && runs.attach(7, first.pid) && runs.is_attached(7));
    const auto second = runs.attach(7, getpid());
    ck_assert(second.error().code == Code::second_run);
    ck_assert(second.error().text.starts_with("job 7 is run by process " + std::to_string(first.pid) + " (mscale run) since "));
    ck_assert(runs.attach(8, getpid()) && runs.attach(7, first.pid));
}
END_TEST

START_TEST(one_that_was_killed_holds_up_nobody)
{
    AttachedRuns runs;
    Idle first;
    ck_assert(runs.attach(7, first.pid));
    first.end();
    ck_assert(runs.attach(7, getpid()) && runs.attach(7, getpid()));
}
END_TEST

START_TEST(what_is_forgotten_is_free)
{
    AttachedRuns runs;
    Idle first;
    ck_assert(runs.attach(7, first.pid));
    runs.forget(7);
    ck_assert(!runs.is_attached(7) && runs.attach(7, getpid()));
}
END_TEST

Suite* attached_runs_suite()
{
    return make_suite("attached_runs", a_second_run_of_a_job_is_refused_while_the_first_lives, one_that_was_killed_holds_up_nobody,
                      what_is_forgotten_is_free);
}
