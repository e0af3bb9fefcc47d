#pragma once

#include <string>
#include <vector>

#include "submit/decision.hpp"
#include "tests/unit/check.hpp"

// One suite for each subject of submit/.
Suite* variables_suite();
Suite* slices_suite();
Suite* decision_suite();
Suite* change_suite();
Suite* files_suite();
Suite* node_list_suite();
Suite* ways_back_suite();

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

inline void expect_part(const std::string& whole, const std::string& part)
{
    ck_assert_msg(whole.find(part) != std::string::npos, "no '%s' in '%s'", part.c_str(), whole.c_str());
}

/// A machine of one NUMA node: `cores` cores of two CPUs, one H100 with 132 SMs in chunks of 8, 64 huge pages
/// of 2 MiB.
mscale::hal::Machine make_machine(unsigned cores);

/// Nodes a1, a2, a3 with 16 cores, b1 with 4, and u1 in no class; partitions main (all, default) and small
/// (b1).
mscale::submit::Policy make_policy(mscale::contract::Mode mode);

/// A batch job of uid 7 with this contract.
mscale::submit::JobRequest make_job(const std::string& contract);
