#pragma once

#include "tests/unit/check.hpp"

// One suite per part of recovery/.
Suite* admission_suite();
Suite* checksum_suite();
Suite* choice_suite();
Suite* coding_suite();
Suite* commit_suite();
Suite* cursor_suite();
Suite* detector_suite();
Suite* frame_suite();
Suite* last_step_suite();
Suite* manifest_suite();
Suite* placement_suite();
Suite* redundancy_suite();
Suite* reshard_suite();
Suite* segment_suite();
Suite* slot_suite();
Suite* spill_suite();
Suite* timeline_suite();

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
