#include "tests/unit/submit/suites.hpp"

int main()
{
    return run_suites(variables_suite(), slices_suite(), decision_suite(), change_suite(), files_suite(),
                      node_list_suite(), ways_back_suite());
}
