#pragma once

#include "tests/unit/check.hpp"

// One suite per subject of hal/.
Suite* cores_suite();
Suite* disks_suite();
Suite* gpu_events_suite();
Suite* gpus_suite();
Suite* hwloc_suite();
Suite* inventory_suite();
Suite* kernel_suite();
Suite* machine_json_suite();
Suite* machine_text_suite();
Suite* models_suite();
Suite* numa_suite();
Suite* pci_address_suite();
Suite* places_suite();
Suite* presence_suite();
Suite* rdma_suite();

/// A suite with one case that holds all its tests.
template <class... Tests> Suite* make_suite(const char* name, Tests... tests)
{
    Suite* suite = suite_create(name);
    TCase* tests_of_suite = tcase_create(name);
    tcase_set_timeout(tests_of_suite, 60); // a sanitized build on a busy machine
    (tcase_add_test(tests_of_suite, tests), ...);
    suite_add_tcase(suite, tests_of_suite);
    return suite;
}

/// Check's own comparison of texts keeps only pointers, which temporaries don't survive.
inline void expect_text(const std::string& found, const std::string& wanted)
{
    ck_assert_msg(found == wanted, "found '%s', not '%s'", found.c_str(), wanted.c_str());
}

inline void expect_part(const std::string& found, const std::string& part)
{
    // Check takes messages of a few KiB only.
    ck_assert_msg(found.find(part) != std::string::npos, "'%s' isn't in '%s'", part.c_str(),
                  found.substr(0, 2000).c_str());
}
