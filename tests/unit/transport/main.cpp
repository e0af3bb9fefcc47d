// unit_transport: the suite over TCP.
// unit_transport verbs: the same by RDMA, on a machine that has it, and what only RDMA can be asked.
#include <string_view>

#include "tests/unit/transport/ends.hpp"
#include "tests/unit/transport/suites.hpp"

int main(int argc, char** argv)
{
    using namespace std::chrono_literals;
    if (argc < 2) return run_suites(transfers_suite(), faults_suite(), carrier_suite());
    if (argc > 2 || std::string_view(argv[1]) != "verbs") return 2;
    mscale::recovery::way() = {true, 30s, 5s};
    return run_suites(transfers_suite(), faults_suite(), carrier_suite(), verbs_suite());
}
