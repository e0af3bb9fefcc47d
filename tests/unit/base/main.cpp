#include "tests/unit/base/suites.hpp"

int main()
{
    return run_suites(code_suite(), cpu_set_suite(), files_suite(), fill_memory_suite(), ini_suite(), json_suite(),
                      log_suite(), process_suite(), text_suite());
}
