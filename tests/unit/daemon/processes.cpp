#include "daemon/mscaled/processes.hpp"

#include <unistd.h>

#include "tests/unit/daemon/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;

START_TEST(a_stepd_is_known_by_its_title)
{
    const auto batch = parse_stepd_title("slurmstepd: [12.batch]");
    ck_assert(batch && batch->job_id == 12);
    expect_text(batch->step, "batch");
    const auto step = parse_stepd_title("slurmstepd: [4294967.0]");
    ck_assert(step && step->job_id == 4294967);
    expect_text(step->step, "0");
}
END_TEST

START_TEST(each_component_of_a_het_step_is_the_step)
{
    for (const char* title :
         {"slurmstepd: [12.0+0]", "slurmstepd: [12.0+1]", "slurmstepd: [12.0 of a later Slurm]"}) {
        const auto step = parse_stepd_title(title);
        ck_assert_msg(step && step->job_id == 12, "not a stepd: %s", title);
        expect_text(step->step, "0");
    }
}
END_TEST

START_TEST(other_command_lines_are_no_stepd)
{
    for (const char* text :
         {"", "slurmstepd", "slurmstepd: [.0]", "slurmstepd: [12]", "slurmstepd: [99999999999.0]",
          "sh -c slurmstepd: [12.0]", "slurmstepd: [12.0"}) {
        ck_assert_msg(!parse_stepd_title(text), "taken: %s", text);
    }
}
END_TEST

START_TEST(a_process_finds_its_own_threads_parent_and_owner)
{
    const auto threads = read_threads(getpid());
    ck_assert_uint_eq(threads.size(), 1);
    ck_assert_int_eq(threads.front().id, getpid());
    ck_assert(read_parent(getpid()) == getppid());
    ck_assert(read_owner(getpid()) == geteuid());
    ck_assert(!read_stepd(getpid()));
}
END_TEST

START_TEST(a_process_that_is_not_there_has_nothing)
{
    ck_assert(read_threads(0x7ffffff0).empty());
    ck_assert(!read_parent(0x7ffffff0));
    ck_assert(!read_owner(0x7ffffff0));
}
END_TEST

Suite* processes_suite()
{
    return make_suite("processes", a_stepd_is_known_by_its_title, each_component_of_a_het_step_is_the_step,
                      other_command_lines_are_no_stepd, a_process_finds_its_own_threads_parent_and_owner,
                      a_process_that_is_not_there_has_nothing);
}
