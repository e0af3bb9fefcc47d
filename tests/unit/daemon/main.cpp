#include "tests/unit/daemon/suites.hpp"

int main()
{
    return run_suites(address_book_suite(), attached_runs_suite(), contract_losses_suite(), contract_saves_suite(), contract_state_suite(),
                      departed_jobs_suite(), drain_suite(),
                      findings_suite(), framing_suite(), host_sockets_suite(), jobs_suite(), loop_suite(), message_suite(),
                      part_search_suite(), parts_suite(), post_suite(), processes_suite(), preemptions_suite(), report_suite(), restart_counts_suite(), returns_suite(),
                      role_process_suite(), run_relay_suite(), run_service_suite(), seats_suite(), site_file_suite(), slurm_domains_suite(),
                      sockets_suite(), status_suite(), status_service_suite(), survey_suite(),
                      waiting_stepds_suite());
}
