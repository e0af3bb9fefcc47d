#include "daemon/mscaled/drain.hpp"

#include <filesystem>
#include <fstream>

#include "tests/unit/daemon/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;
using contract::Mode;

namespace {

/// A site whose mscale-node is missing.
contract::Site site_in(Mode mode)
{
    contract::Site site;
    site.mode = mode;
    site.state = "/nowhere";
    site.node_program = "/nowhere/mscale-node";
    return site;
}

} // namespace

START_TEST(a_missing_program_is_a_fault_where_contracts_are_enforced)
{
    expect_text(find_node_fault(site_in(Mode::enforce)).value_or(""),
                "mscale: /nowhere/mscale-node is missing");
    contract::Site site = site_in(Mode::observe);
    site.partition_modes["gpu"] = Mode::enforce;
    ck_assert(find_node_fault(site).has_value());
}
END_TEST

START_TEST(no_node_has_a_fault_where_contracts_are_only_observed_or_off)
{
    for (const Mode mode : {Mode::off, Mode::observe}) {
        contract::Site site = site_in(mode);
        ck_assert(!find_node_fault(site));
        site.partition_modes["gpu"] = Mode::observe;
        ck_assert(!find_node_fault(site));
    }
}
END_TEST

START_TEST(contradictions_of_an_enforcing_time_drain_no_observing_node)
{
    std::string directory = (std::filesystem::temp_directory_path() / "mscale-drain.XXXXXX").native();
    ck_assert_ptr_nonnull(mkdtemp(directory.data()));
    contract::Site site = site_in(Mode::enforce);
    site.state = directory;
    site.node_program = "/bin/sh";
    ck_assert(!find_node_fault(site));
    std::ofstream(contradictions_path(site)) << "3\n";
    ck_assert(find_node_fault(site).has_value());
    site.mode = Mode::observe;
    ck_assert(!find_node_fault(site));
    std::filesystem::remove_all(directory);
}
END_TEST

Suite* drain_suite()
{
    return make_suite("drain", a_missing_program_is_a_fault_where_contracts_are_enforced,
                      no_node_has_a_fault_where_contracts_are_only_observed_or_off,
                      contradictions_of_an_enforcing_time_drain_no_observing_node);
}
