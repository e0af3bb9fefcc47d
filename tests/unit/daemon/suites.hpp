#pragma once

#include "tests/unit/check.hpp"

// One suite per part of mscaled.
Suite* address_book_suite();
Suite* attached_runs_suite();
Suite* contract_losses_suite();
Suite* contract_saves_suite();
Suite* contract_state_suite();
Suite* departed_jobs_suite();
Suite* drain_suite();
Suite* findings_suite();
Suite* framing_suite();
Suite* host_sockets_suite();
Suite* jobs_suite();
Suite* loop_suite();
Suite* message_suite();
Suite* part_search_suite();
Suite* parts_suite();
Suite* post_suite();
Suite* preemptions_suite();
Suite* processes_suite();
Suite* report_suite();
Suite* restart_counts_suite();
Suite* returns_suite();
Suite* role_process_suite();
Suite* run_relay_suite();
Suite* run_service_suite();
Suite* seats_suite();
Suite* site_file_suite();
Suite* slurm_domains_suite();
Suite* sockets_suite();
Suite* status_suite();
Suite* status_service_suite();
Suite* survey_suite();
Suite* waiting_stepds_suite();

/// A suite with one case that holds all its tests.
template <class... Tests> Suite* make_suite(const char* name, Tests... tests)
{
    Suite* suite = suite_create(name);
    TCase* tests_of_suite = tcase_create(name);
    (tcase_add_test(tests_of_suite, tests), ...);
    suite_add_tcase(suite, tests_of_suite);
    return suite;
}

/// Check's own comparison of texts keeps only pointers, which temporaries don't survive.
inline void expect_text(const std::string& found, const std::string& wanted)
{
    ck_assert_msg(found == wanted, "found '%s', not '%s'", found.c_str(), wanted.c_str());
}
