#include "tests/unit/spank/suites.hpp"

int main()
{
    return run_suites(edge_suite(), arguments_suite(), submit_suite(), prolog_suite(), step_suite(),
                      task_suite(), environment_suite());
}
