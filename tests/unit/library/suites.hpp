#pragma once

#include "tests/unit/check.hpp"

// One suite per part of library/.
Suite* api_suite();
Suite* client_suite();
Suite* copy_suite();
Suite* departure_suite();
Suite* io_calls_suite();
Suite* io_suite();
Suite* leaving_suite();
Suite* notice_suite();
Suite* parts_suite();
Suite* policy_suite();
Suite* rank_suite();
Suite* restart_suite();
Suite* role_suite();
Suite* save_suite();
Suite* terms_suite();
Suite* written_suite();

/// A suite with one case that holds all its tests.
template <class... Tests> Suite* make_suite(const char* name, Tests... tests)
{
    Suite* suite = suite_create(name);
    TCase* tests_of_suite = tcase_create(name);
    tcase_set_timeout(tests_of_suite, 30);
    (tcase_add_test(tests_of_suite, tests), ...);
    suite_add_tcase(suite, tests_of_suite);
    return suite;
}

/// Check's own comparison of texts keeps only pointers, which temporaries don't survive.
inline void expect_text(const std::string& found, const std::string& wanted)
{
    ck_assert_msg(found == wanted, "found '%s', not '%s'", found.c_str(), wanted.c_str());
}

/// True when `text` holds `part`; else the text is shown.
inline void expect_part(const std::string& text, const std::string& part)
{
    ck_assert_msg(text.find(part) != std::string::npos, "'%s' doesn't say '%s'", text.c_str(), part.c_str());
}
