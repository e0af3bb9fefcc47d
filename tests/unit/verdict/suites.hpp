#pragma once

#include "tests/unit/check.hpp"

// One suite per subject of the verdict.
Suite* cores_suite();
Suite* distribution_suite();
Suite* gpus_suite();
Suite* devices_suite();
Suite* hugepages_suite();
Suite* policy_suite();
Suite* nearest_suite();
Suite* nearest_least_suite();
Suite* plan_suite();
Suite* ft_suite();
Suite* gres_conf_suite();
Suite* cases_suite();
Suite* cases_text_suite();
Suite* maps_suite();

/// A suite with one case that holds all its tests.
template <class... Tests> Suite* make_suite(const char* name, Tests... tests)
{
    Suite* suite = suite_create(name);
    TCase* tests_of_suite = tcase_create(name);
    tcase_set_timeout(tests_of_suite, 60);
    (tcase_add_test(tests_of_suite, tests), ...);
    suite_add_tcase(suite, tests_of_suite);
    return suite;
}
