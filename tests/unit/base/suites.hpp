#pragma once

#include "tests/unit/check.hpp"

// One suite per header of base/.
Suite* code_suite();
Suite* cpu_set_suite();
Suite* files_suite();
Suite* fill_memory_suite();
Suite* ini_suite();
Suite* json_suite();
Suite* log_suite();
Suite* process_suite();
Suite* text_suite();

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
