#include "tests/unit/library/suites.hpp"

int main()
{
    return run_suites(rank_suite(), policy_suite(), copy_suite(), save_suite(), terms_suite(),
                      written_suite(), parts_suite(), departure_suite(),
                      notice_suite(), client_suite(), leaving_suite(), restart_suite(), api_suite(), role_suite(), io_suite(), io_calls_suite());
}
