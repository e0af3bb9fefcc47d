#include "tests/unit/slicing/suites.hpp"

int main()
{
    return run_suites(hugepages_suite(), ledger_suite(), leftovers_suite(), routes_suite());
}
