#include "library/notice.hpp"

#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/library/suites.hpp"

using namespace mscale::library;

namespace {

void ignore(int) {}

/// As a program begins: Check has a handler of its own.
void catch_notices_anew()
{
    for (const int signal : {SIGTERM, SIGUSR1, SIGUSR2}) ::signal(signal, SIG_DFL);
    catch_notices();
}

/// What becomes of a child that does this.
template <class Act> int status_of(Act act)
{
    const pid_t child = ::fork();
    if (child == 0) {
        act();
        ::_exit(0);
    }
    int status = 0;
    ck_assert(::waitpid(child, &status, 0) == child);
    return status;
}

bool is_killed_by(int status, int signal)
{
    return WIFSIGNALED(status) && WTERMSIG(status) == signal;
}

START_TEST(the_first_notice_is_kept_and_ends_nothing)
{
    catch_notices_anew();
    ck_assert_int_eq(caught_notice(), 0);
    ::raise(SIGUSR1);
    ::raise(SIGTERM);
    ck_assert_int_eq(caught_notice(), SIGUSR1);
    release_notices();
    ck_assert_int_eq(caught_notice(), 0);
}
END_TEST

START_TEST(a_handler_of_the_program_stays_and_is_left_to_it)
{
    ::signal(SIGUSR2, ignore);
    catch_notices();
    ::raise(SIGUSR2);
    ck_assert_int_eq(caught_notice(), 0);
    release_notices();
    ck_assert(::signal(SIGUSR2, SIG_DFL) == ignore);
}
END_TEST

START_TEST(a_signal_that_the_program_ignores_stays_ignored)
{
    ::signal(SIGTERM, SIG_IGN);
    catch_notices();
    ::raise(SIGTERM);
    ck_assert_int_eq(caught_notice(), 0);
    ck_assert(::signal(SIGTERM, SIG_DFL) == SIG_IGN);
}
END_TEST

START_TEST(after_the_release_a_signal_ends_the_program)
{
    const int status = status_of([] {
        catch_notices_anew();
        release_notices();
        ::raise(SIGTERM);
    });
    ck_assert(is_killed_by(status, SIGTERM));
}
END_TEST

START_TEST(a_notice_can_be_obeyed_later)
{
    const int status = status_of([] {
        catch_notices_anew();
        ::raise(SIGUSR1);
        obey_notice(caught_notice());
        ::pause();
    });
    ck_assert(is_killed_by(status, SIGUSR1));
}
END_TEST

START_TEST(a_child_of_the_program_is_ended_as_ever)
{
    catch_notices_anew();
    const int status = status_of([] { // of fork; where the library isn't told of it
        ::raise(SIGTERM);
        ::pause();
    });
    ck_assert(is_killed_by(status, SIGTERM));
    release_notices();
}
END_TEST

} // namespace

Suite* notice_suite()
{
    return make_suite("notice", the_first_notice_is_kept_and_ends_nothing,
                      a_handler_of_the_program_stays_and_is_left_to_it, a_signal_that_the_program_ignores_stays_ignored,
                      after_the_release_a_signal_ends_the_program, a_notice_can_be_obeyed_later,
                      a_child_of_the_program_is_ended_as_ever);
}
