#pragma once

#include <cstdlib>
#include <string>

#include <unistd.h>

#include "tests/unit/check.hpp"

// One suite per part of daemon/spill/.
Suite* directory_suite();
Suite* identity_suite();
Suite* snapshot_file_suite();
Suite* write_queue_suite();

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

/// A new directory of this test's own.
struct Scratch {
    Scratch() { path = mkdtemp(path.data()); }
    ~Scratch() { (void)!std::system(("rm -rf " + path).c_str()); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    std::string path = "/tmp/unit-spill.XXXXXX";
};

inline void expect_part(const std::string& whole, const std::string& part)
{
    ck_assert_msg(whole.find(part) != std::string::npos, "'%s' isn't in '%s'", part.c_str(), whole.c_str());
}

/// Check's own comparison of texts keeps only pointers, which temporaries don't survive.
inline void expect_text(const std::string& found, const std::string& wanted)
{
    ck_assert_msg(found == wanted, "found '%s', not '%s'", found.c_str(), wanted.c_str());
}
