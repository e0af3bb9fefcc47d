#include "tests/unit/hal/suites.hpp"

int main()
{
    return run_suites(cores_suite(), disks_suite(), gpus_suite(), hwloc_suite(), inventory_suite(),
                      kernel_suite(), machine_json_suite(), machine_text_suite(), models_suite(),
                      numa_suite(), pci_address_suite(), places_suite(), rdma_suite());
}
