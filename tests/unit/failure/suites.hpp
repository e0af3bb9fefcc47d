#pragma once

#include "base/handle.hpp"
#include "tests/unit/check.hpp"

// One suite per part of daemon/failure/.
Suite* beat_suite();
Suite* hearing_suite();
Suite* inquest_suite();
Suite* neighbours_suite();
Suite* policy_suite();
Suite* sockets_suite();
Suite* vote_round_suite();

/// A port of this host at which a connection is neither accepted nor refused, as long as this lives.
class SilentPort {
public:
    SilentPort();
    unsigned number() const;

private:
    mscale::Fd listener_, waiting_; ///< the queue of those who wait to be accepted is full
};

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
