// What stands after `mscale run`, and the line of srun that comes of it.
#include "cli/run/srun_line.hpp"

#include "base/text.hpp"
#include "tests/unit/check.hpp"
#include "tests/unit/cli/suites.hpp"

using namespace mscale;
using namespace mscale::cli;

namespace {

std::vector<std::string> words_of(const std::string& text)
{
    std::vector<std::string> words;
    for (const auto word : split(text, ' '))
        if (!word.empty()) words.emplace_back(word);
    return words;
}

RunLine read(const std::string& text)
{
    const auto line = read_run_line(words_of(text));
    ck_assert_msg(line.has_value(), "%s", line ? "" : to_line(line.error()).c_str());
    return *line;
}

void expect_wrong(const std::string& text, const char* reason)
{
    const auto line = read_run_line(words_of(text));
    ck_assert_msg(!line && line.error().code == Code::usage, "%s", text.c_str());
    ck_assert_msg(line.error().text.find(reason) != std::string::npos, "%s", line.error().text.c_str());
}

unsigned tasks_of(const std::string& text, const char* name = "", const char* value = "")
{
    return count_tasks(read(text), 2, [name, value](const char* asked) {
        return std::string(name) == asked ? std::optional<std::string>(value) : std::nullopt;
    });
}

} // namespace

START_TEST(own_options_are_taken_out_and_srun_s_stay_as_they_are)
{
    const RunLine line =
        read("-l --max-restarts=3 --cpu-bind=cores --timeline a.svg --hang-limit 20 -- prog -n 9");
    ck_assert_uint_eq(line.max_restarts, 3);
    ck_assert(line.timeline == "a.svg" && line.hang_limit == std::chrono::seconds(20));
    ck_assert(line.options == words_of("-l --cpu-bind=cores") && line.command == words_of("prog -n 9"));
    ck_assert(!line.tasks && read("-- prog").max_restarts == 10);
}
END_TEST

START_TEST(the_line_of_a_run_ends_in_what_mscale_run_decides)
{
    const std::string line = join(srun_arguments(read("-l -N 3 -- prog --x"), {"n1", "n3"}, 4), " ");
    ck_assert_str_eq(line.c_str(), "srun -l -N 3 -N 2 -n 4 -w n1,n3 --kill-on-bad-exit=1 -- prog --x");
    const std::string beside = join(srun_arguments(read("-l -- prog"), {"n1"}, 1, true), " ");
    ck_assert_str_eq(beside.c_str(), "srun -l --overlap -N 1 -n 1 -w n1 --kill-on-bad-exit=1 -- prog");
    const std::string plain = join(srun_arguments(read("-l -- prog")), " ");
    ck_assert_str_eq(plain.c_str(), "srun -l -- prog");
}
END_TEST

START_TEST(numbers_of_nodes_and_tasks_are_read_in_every_spelling)
{
    for (const char* text :
         {"-n 6 -- p", "-n6 -- p", "-ln6 -- p", "--ntasks=6 -- p", "--ntasks 6 -- p", "-l -K1 -n6 -- p"})
        ck_assert_msg(read(text).tasks == 6U, "%s", text);
    for (const char* text :
         {"-N 2 -- p", "-lN2 -- p", "--nodes=2 -- p", "--exclusive -N2 -- p", "-o -N -N2 -- p"})
        ck_assert_msg(read(text).nodes == 2U, "%s", text);
    ck_assert(!read("-J n6 -- p").tasks && !read("-Jn6 -- p").tasks);
}
END_TEST

START_TEST(the_tasks_come_from_the_line_then_from_the_job_then_one_a_node)
{
    ck_assert_uint_eq(tasks_of("-n 6 -- p", "SLURM_NTASKS", "4"), 6);
    ck_assert_uint_eq(tasks_of("--ntasks-per-node=3 -- p", "SLURM_NTASKS", "4"), 6);
    ck_assert_uint_eq(tasks_of("-- p", "SLURM_NTASKS", "4"), 4);
    ck_assert_uint_eq(tasks_of("-- p", "SLURM_NTASKS_PER_NODE", "4"), 8);
    ck_assert_uint_eq(tasks_of("-- p", "SLURM_NTASKS", "-3"), 2);
}
END_TEST

START_TEST(options_that_would_undo_a_restart_are_refused)
{
    for (const char* text : {"-w n1 -- p", "--nodelist=n1 -- p", "-x n1 -- p", "-lx n1 -- p", "-r 1 -- p"})
        expect_wrong(text, "chooses the nodes");
    expect_wrong("-k -- p", "dead rank");
    expect_wrong("--no-kill -- p", "dead rank");
    expect_wrong("-K0 -- p", "fails");
    expect_wrong("--jobid=7 -- p", "in the job");
    ck_assert(read("--kill-on-bad-exit=1 -K -- p").options.size() == 2);
}
END_TEST

START_TEST(a_line_without_a_command_or_with_a_wrong_number_is_refused)
{
    for (const char* text : {"", "prog", "-n 2 prog", "--"}) expect_wrong(text, "after --");
    expect_wrong("--max-restarts=x -- p", "--max-restarts x");
    expect_wrong("--max-restarts -- p", "--max-restarts");
    expect_wrong("--timeline=a.txt -- p", ".json or .svg");
    expect_wrong("-N 2-4 -- p", "2-4");
    expect_wrong("-n 0 -- p", "--ntasks 0");
}
END_TEST

Suite* run_line_suite()
{
    Suite* suite = suite_create("run_line");
    TCase* tests = tcase_create("run_line");
    tcase_add_test(tests, own_options_are_taken_out_and_srun_s_stay_as_they_are);
    tcase_add_test(tests, the_line_of_a_run_ends_in_what_mscale_run_decides);
    tcase_add_test(tests, numbers_of_nodes_and_tasks_are_read_in_every_spelling);
    tcase_add_test(tests, the_tasks_come_from_the_line_then_from_the_job_then_one_a_node);
    tcase_add_test(tests, options_that_would_undo_a_restart_are_refused);
    tcase_add_test(tests, a_line_without_a_command_or_with_a_wrong_number_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
