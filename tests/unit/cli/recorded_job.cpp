// What is shown of a job where no mscaled of it is at hand.
#include "cli/recorded_job.hpp"

#include "base/json.hpp"
#include "tests/unit/check.hpp"
#include "tests/unit/cli/suites.hpp"

using namespace mscale;
using namespace mscale::cli;

namespace {

const SlurmJob running{7, "RUNNING", "n[1-2]", "by hand; mscale: state=honoured cores=4 sm=8/16", true};

bool holds(const std::string& text, const char* part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

START_TEST(a_running_job_is_told_with_where_more_is_known)
{
    const auto comment = check_recorded(running);
    ck_assert(comment.has_value());
    const std::string text = recorded_text(running, *comment);
    for (const char* part :
         {"job 7  honoured", "RUNNING on n[1-2]", "8/16", "srun --jobid=7 --overlap mscale status 7"})
        ck_assert_msg(holds(text, part), "%s", text.c_str());
    const Json json = recorded_json(running, *comment);
    ck_assert(json["state"] == "honoured" && json["fields"]["cores"] == "4" && json["source"] == "slurmctld");
}
END_TEST

START_TEST(a_job_that_is_over_keeps_its_last_state)
{
    const SlurmJob over{7, "COMPLETED", "n1", "mscale: state=released", false};
    const std::string text = recorded_text(over, check_recorded(over).value());
    ck_assert(holds(text, "job 7  released") && holds(text, "COMPLETED") && !holds(text, "srun"));
}
END_TEST

START_TEST(a_job_that_is_over_holds_nothing_whatever_was_posted_last)
{
    const SlurmJob over{7, "COMPLETED", "n1", "mscale: state=honoured cores=4", false};
    const auto comment = check_recorded(over).value();
    ck_assert(holds(recorded_text(over, comment), "job 7  released, honoured while it ran\n"));
    const Json json = recorded_json(over, comment);
    ck_assert(json["state"] == "released" && json["last_state"] == "honoured");
}
END_TEST

START_TEST(a_refusal_a_breach_and_what_a_job_that_waits_was_told_stay)
{
    const auto shown = [](const char* slurm_state, const char* posted) {
        const SlurmJob job{7, slurm_state, "", std::string("mscale: state=") + posted, false};
        return recorded_json(job, check_recorded(job).value())["state"].get<std::string>();
    };
    ck_assert(shown("FAILED", "refused") == "refused" && shown("FAILED", "breached") == "breached");
    ck_assert(shown("PENDING", "accepted") == "accepted" && shown("SUSPENDED", "honoured") == "honoured");
    ck_assert(shown("PENDING", "recovering") == "recovering");
}
END_TEST

START_TEST(a_job_without_our_segment_has_no_contract)
{
    const auto comment = check_recorded({7, "RUNNING", "n1", "see mscale: state=honoured", true});
    ck_assert(!comment && comment.error().code == Code::no_such_job);
    ck_assert(holds(job_is_gone(7).value().cure, "sacct -P -o JobID,State,AdminComment -j 7"));
}
END_TEST

START_TEST(only_a_plain_number_names_a_job)
{
    ck_assert_uint_eq(read_job_number("4711").value(), 4711);
    ck_assert_uint_eq(read_job_number("").value(), 0);
    for (const char* text : {"abc", "0", "-1", "12_3", "4294967295", "99999999999"})
        ck_assert_msg(read_job_number(text).error().code == Code::usage, "%s", text);
}
END_TEST

Suite* recorded_job_suite()
{
    Suite* suite = suite_create("recorded_job");
    TCase* tests = tcase_create("recorded_job");
    tcase_add_test(tests, a_running_job_is_told_with_where_more_is_known);
    tcase_add_test(tests, a_job_that_is_over_keeps_its_last_state);
    tcase_add_test(tests, a_job_that_is_over_holds_nothing_whatever_was_posted_last);
    tcase_add_test(tests, a_refusal_a_breach_and_what_a_job_that_waits_was_told_stay);
    tcase_add_test(tests, a_job_without_our_segment_has_no_contract);
    tcase_add_test(tests, only_a_plain_number_names_a_job);
    suite_add_tcase(suite, tests);
    return suite;
}
