#include <cstdlib>
#include <regex>

#include "hal/hwloc_reader.hpp"
#include "hal/probe.hpp"
#include "tests/unit/hal/suites.hpp"
#include "tests/unit/hal/tree.hpp"

using namespace mscale;
using namespace mscale::hal;

namespace {

Error read_fault(const Tree& tree, std::string_view text)
{
    tree.file("/machine", text);
    const Result<Machine> machine = read_machine_file(tree.path() + "/machine");
    ck_assert(!machine);
    ck_assert(machine.error().code == Code::machine_file);
    return machine.error();
}

} // namespace

START_TEST(xml_of_format_3_is_refused_with_both_versions)
{
    const Tree tree;
    const Error error =
        read_fault(tree, "<?xml version=\"1.0\"?>\n<topology version=\"3.0\"><object/></topology>");
    expect_part(error.text, "format 3.0");
    // The interface's version has two parts, a release three.
    ck_assert(std::regex_search(error.text, std::regex("hwloc [0-9]+[.][0-9]+[.][0-9]+ of this system")));
    expect_part(error.text, "up to 2.x");
}
END_TEST

START_TEST(files_that_are_no_machine_are_refused_and_never_replaced_by_this_system)
{
    const Tree tree;
    expect_part(read_fault(tree, "<topology version=\"2.0\"><object type=").text, "can't read this XML");
    expect_part(read_fault(tree, "<topology version=\"2.0\"></topology>").text, "can't read this XML");
    expect_part(read_fault(tree, "<html></html>").text, "no hwloc XML");
    expect_part(read_fault(tree, "Machine (64GB)").text, "neither JSON nor XML");
    ck_assert(!read_machine_file(tree.path() + "/absent"));
}
END_TEST

/// The XML of a model with the first `from` of it made `to`.
std::string damaged_model(const std::string& from, const std::string& to)
{
    std::string text = read_file(fixture("cases/topo/kvm-flat-numa-1.xml")).value();
    const std::size_t at = text.find(from);
    ck_assert(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

START_TEST(xml_over_which_hwloc_itself_would_crash_is_refused)
{
    const Tree tree;
    expect_part(read_fault(tree, damaged_model(" complete_cpuset=", " nothing=")).text, "breaks down");
    expect_part(read_fault(tree, damaged_model(" nodeset=\"", " nodeset=\",")).text, "breaks down");
}
END_TEST

START_TEST(a_device_without_a_name_is_left_out)
{
    const Tree tree;
    tree.file("/machine", damaged_model(" name=\"nvml", " title=\"nvml"));
    ck_assert(read_machine_file(tree.path() + "/machine").has_value());
}
END_TEST

START_TEST(variables_of_hwloc_change_nothing)
{
    const Result<Machine> before = probe_machine({});
    ::setenv("HWLOC_XMLFILE", fixture("cases/topo/gh200-4x.xml").c_str(), 1);
    ::setenv("HWLOC_SYNTHETIC", "pack:2 core:4 pu:2", 1);
    ::setenv("HWLOC_FSROOT", "/nonexistent", 1);
    const Result<Machine> after = probe_machine({});
    ck_assert(before.has_value() && after.has_value());
    ck_assert_uint_eq(after->cores.size(), before->cores.size());
    ck_assert(after->notes == before->notes);
    ck_assert_ptr_null(std::getenv("HWLOC_XMLFILE"));
    ck_assert_ptr_null(std::getenv("HWLOC_SYNTHETIC"));
}
END_TEST

START_TEST(a_machine_of_a_file_is_never_this_system)
{
    const Machine machine = read_model_xml("hgx-h100-2s");
    ck_assert(!machine.this_system);
    expect_text(machine.name, "hgx-h100-2s");
    ck_assert(machine.origin.starts_with("file "));
    ck_assert(has_note(machine, "free huge pages"));
}
END_TEST

Suite* hwloc_suite()
{
    return make_suite("hwloc", xml_of_format_3_is_refused_with_both_versions,
                      xml_over_which_hwloc_itself_would_crash_is_refused, a_device_without_a_name_is_left_out,
                      files_that_are_no_machine_are_refused_and_never_replaced_by_this_system,
                      variables_of_hwloc_change_nothing, a_machine_of_a_file_is_never_this_system);
}
