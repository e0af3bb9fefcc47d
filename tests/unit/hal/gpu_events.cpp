#include "hal/gpu_events.hpp"

#include <cstdlib>
#include <filesystem>

#include "tests/unit/hal/suites.hpp"
#include "tests/unit/hal/tree.hpp"

using namespace mscale;
using namespace mscale::hal;
using std::chrono::milliseconds;

namespace {

std::string events_double()
{
    return std::filesystem::absolute("tests/doubles/nvml/.libs/libnvidia-ml-double.so").native();
}

/// Two GPUs, of which the second has `line` in its section.
void describe_two(const Tree& tree, const std::string& line)
{
    tree.file("/double.conf", "[gpu]\npci = 00000000:1B:00.0\nmemory_mib = 10\n"
                              "[gpu]\npci = 00000000:9B:00.0\nmemory_mib = 10\n" + line + "\n");
    setenv("MSCALE_NVML_DOUBLE", (tree.path() + "/double.conf").c_str(), 1);
}

/// What is heard of the second GPU when `line` comes while one listens.
std::vector<GpuFailure> hear(const std::string& line)
{
    const Tree tree;
    describe_two(tree, "");
    auto events = GpuEvents::open(events_double());
    ck_assert_msg(events.has_value(), "%s", events ? "" : events.error().text.c_str());
    ck_assert(events->wait(milliseconds(1)).empty());
    describe_two(tree, line);
    return events->wait(milliseconds(1));
}

const PciAddress second{0, 0x9b, 0, 0};

} // namespace

START_TEST(a_fatal_xid_is_heard_with_its_gpu)
{
    ck_assert((hear("xid = 79") == std::vector<GpuFailure>{{second, "Xid 79"}}));
}
END_TEST

START_TEST(an_xid_is_fatal_where_the_catalogue_says_reset_or_restart)
{
    for (const auto xid : {46ULL, 62ULL, 64ULL, 79ULL, 95ULL, 109ULL, 158ULL}) ck_assert_msg(is_fatal_xid(xid), "%llu", xid);
    for (const auto xid : {13ULL, 31ULL, 43ULL, 45ULL, 63ULL, 74ULL, 94ULL, 156ULL}) ck_assert_msg(!is_fatal_xid(xid), "%llu", xid);
}
END_TEST

START_TEST(the_xid_of_a_program_s_fault_fails_no_gpu)
{
    ck_assert(hear("xid = 13").empty() && hear("xid = 31").empty() && hear("xid = 43").empty());
}
END_TEST

START_TEST(a_gpu_that_is_off_the_bus_is_told)
{
    ck_assert((hear("lost = yes") == std::vector<GpuFailure>{{second, "off the bus"}}));
}
END_TEST

START_TEST(without_nvml_nothing_is_heard_and_the_error_says_why)
{
    const auto events = GpuEvents::open("/nonexistent/libnvidia-ml.so.1");
    ck_assert(!events && events.error().code == Code::nvml);
}
END_TEST

Suite* gpu_events_suite()
{
    return make_suite("gpu_events", a_fatal_xid_is_heard_with_its_gpu,
                      an_xid_is_fatal_where_the_catalogue_says_reset_or_restart, the_xid_of_a_program_s_fault_fails_no_gpu,
                      a_gpu_that_is_off_the_bus_is_told, without_nvml_nothing_is_heard_and_the_error_says_why);
}
