#pragma once

#include <check.h>
#undef fail // an old name of ck_abort_msg, and a member of streams and connections

#include <cstdlib>
#include <string>

// The one place that bridges Check's C macros and our code: a suite per file, a program per folder.

/// Where the fixtures lie: $srcdir/tests/fixtures under automake, else below the current directory.
inline std::string fixture(const std::string& name)
{
    const char* srcdir = std::getenv("srcdir");
    return std::string(srcdir ? srcdir : ".") + "/tests/fixtures/" + name;
}

/// Runs the suites, prints Check's summary, returns the exit status of the test program.
template <class... Suites> int run_suites(Suites*... suites)
{
    SRunner* runner = srunner_create(nullptr);
    (srunner_add_suite(runner, suites), ...);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
