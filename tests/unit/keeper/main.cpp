#include "tests/unit/keeper/suites.hpp"

int main()
{
    return run_suites(adoption_suite(), charge_suite(), coding_suite(), coordinator_suite(), coordinator_spill_suite(),
                      exits_suite(), timed_saves_suite(), gone_ranks_suite(),
                      messages_suite(), progress_book_suite(), restore_round_suite(), run_start_suite(), segment_store_suite(), snapshot_server_suite());
}
