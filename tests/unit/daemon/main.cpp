#include "tests/unit/daemon/suites.hpp"

int main()
{
    return run_suites(contract_state_suite(), drain_suite(), findings_suite(), framing_suite(), jobs_suite(),
                      message_suite(), post_suite(), processes_suite(), report_suite(), role_process_suite(),
                      status_suite(), survey_suite());
}
