#include "tests/unit/recovery/suites.hpp"

int main()
{
    return run_suites(admission_suite(), checksum_suite(), choice_suite(), coding_suite(), commit_suite(),
                      cursor_suite(), detector_suite(), frame_suite(), last_step_suite(), manifest_suite(), placement_suite(),
                      redundancy_suite(), reshard_suite(), segment_suite(), slot_suite(), spill_suite(),
                      timeline_suite());
}
