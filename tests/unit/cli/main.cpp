#include "tests/unit/check.hpp"
#include "tests/unit/cli/suites.hpp"

int main()
{
    return run_suites(machine_classes_suite(), port_probe_suite(), recorded_job_suite(), recovery_time_suite(), snapshot_ground_suite(),
                      run_decisions_suite(), run_line_suite(), run_supervisor_suite(), run_parts_suite(), run_end_suite(), run_gone_suite(),
                      run_verdict_suite(), run_silence_suite());
}
