#include "tests/unit/contract/suites.hpp"

int main()
{
    return run_suites(ledger_suite(), site_suite(), state_suite(), verified_suite());
}
