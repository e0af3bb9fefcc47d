#pragma once

#include "tests/unit/check.hpp"

// The same for every way of the data (ends.hpp), then what only RDMA can be asked.
Suite* transfers_suite();
Suite* faults_suite();
Suite* carrier_suite();
Suite* verbs_suite();

/// A suite with one case that holds all its tests; an emulated machine needs its time.
template <class... Tests> Suite* make_suite(const char* name, Tests... tests)
{
    Suite* suite = suite_create(name);
    TCase* tests_of_suite = tcase_create(name);
    tcase_set_timeout(tests_of_suite, 120);
    (tcase_add_test(tests_of_suite, tests), ...);
    suite_add_tcase(suite, tests_of_suite);
    return suite;
}
