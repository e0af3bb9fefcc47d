#include "slicing/leftovers.hpp"

#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/slicing/suites.hpp"

using namespace mscale;
using namespace mscale::slicing;

namespace {

constexpr uid_t owner = 1000;

ProcessEntry process(pid_t pid, std::uint64_t start, pid_t parent, pid_t group, uid_t uid = owner)
{
    return {{pid, start}, parent, group, group, uid};
}

contract::TaskRecord task(pid_t pid, std::uint64_t start)
{
    contract::TaskRecord record;
    record.process = {pid, start};
    return record;
}

std::vector<pid_t> pids(const std::vector<ProcessId>& processes)
{
    std::vector<pid_t> numbers;
    for (const ProcessId& process : processes) numbers.push_back(process.pid);
    return numbers;
}

std::vector<pid_t> leftovers(const std::vector<ProcessEntry>& processes, const contract::TaskRecord& record)
{
    return pids(find_leftovers(processes, {record}, owner));
}

} // namespace

START_TEST(a_task_and_all_its_descendants_are_found)
{
    const std::vector<ProcessEntry> table = {process(13, 52, 12, 13), process(10, 50, 1, 10),
                                             process(11, 51, 10, 10), process(12, 51, 11, 12),
                                             process(20, 40, 1, 20)};
    ck_assert(leftovers(table, task(10, 50)) == (std::vector<pid_t>{13, 10, 11, 12}));
}
END_TEST

START_TEST(orphans_of_a_dead_task_are_found_by_its_group)
{
    const std::vector<ProcessEntry> table = {process(11, 51, 1, 10), process(12, 60, 11, 12),
                                             process(20, 60, 1, 20)};
    ck_assert(leftovers(table, task(10, 50)) == (std::vector<pid_t>{11, 12}));
}
END_TEST

START_TEST(a_number_that_was_given_anew_is_left_alone)
{
    const std::vector<ProcessEntry> table = {process(10, 99, 1, 10), process(11, 99, 10, 10)};
    ck_assert(leftovers(table, task(10, 50)).empty());
    ck_assert(leftovers({process(11, 40, 1, 10)}, task(10, 50)).empty()); // older than the task
}
END_TEST

START_TEST(processes_of_others_are_never_touched)
{
    const std::vector<ProcessEntry> table = {process(10, 50, 1, 10), process(11, 51, 10, 10, 0)};
    ck_assert(leftovers(table, task(10, 50)) == std::vector<pid_t>{10});
}
END_TEST

START_TEST(the_process_table_is_read_from_proc)
{
    const Scratch tree;
    tree.write("/proc/10/stat", "10 (a) b (c) S 1 10 9 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 777 0\n");
    tree.write("/proc/10/status", "Name:\ta\nUid:\t1\t1000\t2\t3\n");
    tree.write("/proc/11/stat", "11 (dead) Z 1 10 9 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 777 0\n");
    tree.write("/proc/11/status", "Uid:\t1\t1000\t2\t3\n");
    tree.write("/proc/12/stat", "torn");
    tree.write("/proc/self/stat", "x");
    const auto processes = read_processes(Root(tree.path()));
    ck_assert_uint_eq(processes.size(), 1);
    ck_assert(processes[0] == (ProcessEntry{{10, 777}, 1, 10, 9, 1000}));
}
END_TEST

START_TEST(a_process_is_killed_only_when_its_start_is_the_one_that_was_found)
{
    const pid_t child = ::fork();
    if (child == 0) {
        ::pause();
        ::_exit(0);
    }
    const ProcessId alive = identify_process(child).value();
    ck_assert(!kill_process({child, alive.start_time + 1}));
    ck_assert(is_alive(alive));
    ck_assert(kill_process(alive));
    int status = 0;
    ck_assert_int_eq(::waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    ck_assert(!kill_process(alive));
}
END_TEST

Suite* leftovers_suite()
{
    return make_suite("leftovers", a_task_and_all_its_descendants_are_found,
                      orphans_of_a_dead_task_are_found_by_its_group,
                      a_number_that_was_given_anew_is_left_alone, processes_of_others_are_never_touched,
                      the_process_table_is_read_from_proc,
                      a_process_is_killed_only_when_its_start_is_the_one_that_was_found);
}
