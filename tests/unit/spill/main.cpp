#include "tests/unit/spill/suites.hpp"

int main()
{
    return run_suites(directory_suite(), identity_suite(), snapshot_file_suite(), write_queue_suite());
}
