#pragma once

#include "tests/unit/check.hpp"

// One suite per part of daemon/keeper/.
Suite* adoption_suite();
Suite* charge_suite();
Suite* coding_suite();
Suite* coordinator_suite();
Suite* coordinator_spill_suite();
Suite* exits_suite();
Suite* timed_saves_suite();
Suite* gone_ranks_suite();
Suite* messages_suite();
Suite* progress_book_suite();
Suite* restore_round_suite();
Suite* run_start_suite();
Suite* segment_store_suite();
Suite* snapshot_server_suite();

/// A suite with one case that holds all its tests.
template <class... Tests> Suite* make_suite(const char* name, Tests... tests)
{
    Suite* suite = suite_create(name);
    TCase* tests_of_suite = tcase_create(name);
    tcase_set_timeout(tests_of_suite, 60); // a process that ended is gone when its reaper comes to it
    (tcase_add_test(tests_of_suite, tests), ...);
    suite_add_tcase(suite, tests_of_suite);
    return suite;
}
