#pragma once

#include "tests/unit/check.hpp"

Suite* bounds_suite();
Suite* canonical_suite();
Suite* clauses_suite();
Suite* contract_ini_suite();
Suite* ledger_suite();
Suite* options_suite();
Suite* parse_suite();
Suite* shipped_suite();
Suite* site_suite();
Suite* state_suite();
Suite* values_suite();
Suite* verified_suite();

/// A suite of these tests.
template <class... Tests> Suite* make_suite(const char* name, Tests... tests)
{
    Suite* suite = suite_create(name);
    TCase* tests_of_it = tcase_create(name);
    (tcase_add_test(tests_of_it, tests), ...);
    suite_add_tcase(suite, tests_of_it);
    return suite;
}

/// Check's own comparison of texts keeps only pointers, which temporaries don't survive.
inline void expect_text(const std::string& found, const std::string& wanted)
{
    ck_assert_msg(found == wanted, "found '%s', not '%s'", found.c_str(), wanted.c_str());
}
