#include "tests/unit/contract/suites.hpp"

int main()
{
    return run_suites(bounds_suite(), canonical_suite(), clauses_suite(), contract_ini_suite(),
                      ledger_suite(), options_suite(), parse_suite(), shipped_suite(), site_suite(),
                      state_suite(), values_suite(), verified_suite());
}
