#pragma once

#include "tests/unit/check.hpp"

/// Check's own comparison keeps pointers, which dangle for a temporary string.
inline void expect_text(const std::string& found, const std::string& expected)
{
    ck_assert_msg(found == expected, "found '%s', expected '%s'", found.c_str(), expected.c_str());
}

Suite* edge_suite();
Suite* arguments_suite();
Suite* submit_suite();
Suite* prolog_suite();
Suite* step_suite();
Suite* task_suite();
Suite* environment_suite();
