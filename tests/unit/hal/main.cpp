#include "tests/unit/hal/suites.hpp"
#include "tests/unit/hal/tree.hpp"

int main()
{
    for (const char* name : model_names) read_model(name); // once: the tests, which Check forks, find them read
    return run_suites(cores_suite(), disks_suite(), gpu_events_suite(), gpus_suite(), hwloc_suite(), inventory_suite(),
                      kernel_suite(), machine_json_suite(), machine_text_suite(), models_suite(),
                      numa_suite(), pci_address_suite(), places_suite(), presence_suite(), rdma_suite());
}
