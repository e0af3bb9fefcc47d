#include "tests/unit/failure/suites.hpp"

int main()
{
    return run_suites(beat_suite(), hearing_suite(), inquest_suite(), neighbours_suite(), policy_suite(),
                      sockets_suite(), vote_round_suite());
}
