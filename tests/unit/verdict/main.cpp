#include "tests/unit/verdict/machines.hpp"
#include "tests/unit/verdict/suites.hpp"

int main()
{
    mscale::contract::load_models();
    return run_suites(cores_suite(), distribution_suite(), gpus_suite(), devices_suite(), hugepages_suite(),
                      policy_suite(), ft_suite(), nearest_suite(), nearest_least_suite(), plan_suite(), gres_conf_suite(), cases_suite(),
                      cases_text_suite(), maps_suite());
}
