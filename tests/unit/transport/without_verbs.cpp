// In builds without RDMA nothing can be asked of it; a run by that way fails in its first connection.
#include "tests/unit/transport/suites.hpp"

Suite* verbs_suite()
{
    return suite_create("verbs");
}
