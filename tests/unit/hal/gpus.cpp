#include "hal/gpus.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/text.hpp"
#include "hal/gpu_models.hpp"
#include "hal/probe.hpp"
#include "tests/unit/hal/suites.hpp"
#include "tests/unit/hal/tree.hpp"

using namespace mscale;
using namespace mscale::hal;

namespace {

std::string double_path()
{
    return std::filesystem::absolute("tests/doubles/nvml/.libs/libnvidia-ml-double.so").native();
}

/// Has the double tell this text, and reads it as hal does.
Result<NvmlReading> read_double(const Tree& tree, std::string_view description)
{
    tree.file("/nvml", description);
    ::setenv("MSCALE_NVML_DOUBLE", (tree.path() + "/nvml").c_str(), 1);
    return read_nvml(double_path());
}

std::string describe_gpu(std::string_view pci, unsigned minor, std::string_view rest = "")
{
    return format(
        "[gpu]\nname = NVIDIA H100 80GB HBM3\nuuid = GPU-{0}\npci = {0}\nminor = {1}\nmemory_mib = 81559\n"
        "capability = 9.0\ncores = 16896\n{2}\n",
        pci, minor, rest);
}

/// A machine of two nodes with one GPU whose firmware gives no node.
Machine read_placeless(const Tree& tree)
{
    tree.cpus(4, 1);
    tree.node(0, "0-1");
    tree.node(1, "2-3");
    tree.pci("pci0000:00/0000:00:01.0/0000:06:00.0", "0x10de", "0x030200", -1);
    return read_tree(tree);
}

} // namespace

START_TEST(index_and_minor_of_a_gpu_are_looked_up_by_its_address)
{
    const Tree tree;
    tree.cpus(4, 1);
    tree.node(0, "0-3");
    constexpr std::array rows = {std::pair{"0000:01:00.0", 4}, std::pair{"0000:41:00.0", 1},
                                 std::pair{"0000:c1:00.0", 0}};
    std::string description;
    for (const auto& [pci, minor] : rows) {
        tree.file(format("/proc/driver/nvidia/gpus/{}/information", pci),
                  format("Device Minor: \t {}", minor));
        description += describe_gpu(std::string("0000") + pci, static_cast<unsigned>(minor));
    }
    Machine machine = read_tree(tree);
    const Result<NvmlReading> reading = read_double(tree, description);
    ck_assert(reading.has_value());
    merge_nvml(*reading, machine);
    const auto first = std::find_if(machine.gpus.begin(), machine.gpus.end(),
                                    [](const Gpu& gpu) { return gpu.minor == 0u; });
    ck_assert(first != machine.gpus.end());
    expect_text(to_string(first->pci), "0000:c1:00.0");
    ck_assert_uint_eq(first->index, 2);
    ck_assert(machine.gpus[0].minor == 4u);
}
END_TEST

START_TEST(nvml_tells_model_sms_memory_and_capability)
{
    const Tree tree;
    Machine machine = read_placeless(tree);
    merge_nvml(*read_double(tree, describe_gpu("00000000:06:00.0", 3, "mig = yes")), machine);
    const Gpu& gpu = machine.gpus.at(0);
    ck_assert_uint_eq(gpu.sms, 132);
    expect_text(gpu.sm_source, "nvml");
    ck_assert_uint_eq(gpu.memory_bytes, std::uint64_t{81559} << 20);
    expect_text(gpu.compute_capability, "9.0");
    expect_text(gpu.uuid, "GPU-00000000:06:00.0");
    ck_assert(gpu.mig);
}
END_TEST

START_TEST(nvml_places_a_gpu_that_sysfs_does_not_and_a_note_says_so)
{
    for (const char* place : {"node = 1", "cpus = 2-3", "cpus = 3"}) {
        const Tree tree;
        Machine machine = read_placeless(tree);
        ck_assert(!machine.gpus.at(0).locality.numa);
        merge_nvml(*read_double(tree, describe_gpu("00000000:06:00.0", 0, place)), machine);
        ck_assert(machine.gpus.at(0).locality.numa == 1u);
        expect_text(to_string(machine.gpus[0].locality.cpus), "2-3");
        expect_text(machine.gpus[0].locality.source, "nvml");
        ck_assert(has_note(machine, "NVML says node 1: NVML was taken"));
    }
}
END_TEST

START_TEST(all_cpus_are_no_place)
{
    const Tree tree;
    Machine machine = read_placeless(tree);
    merge_nvml(*read_double(tree, describe_gpu("00000000:06:00.0", 0, "cpus = 0-3")), machine);
    ck_assert(!machine.gpus.at(0).locality.numa);
}
END_TEST

START_TEST(sysfs_wins_where_both_tell_a_node)
{
    const Tree tree;
    tree.pci("pci0000:00/0000:07:00.0", "0x10de", "0x030200", 0);
    Machine machine = read_placeless(tree);
    merge_nvml(*read_double(tree, describe_gpu("00000000:07:00.0", 0, "node = 1")), machine);
    ck_assert(machine.gpus.at(0).locality.numa == 0u);
    ck_assert(has_note(machine, "sysfs says node 0, NVML node 1: sysfs was taken"));
}
END_TEST

START_TEST(a_gpu_that_nvml_does_not_know_is_left_out_and_named)
{
    const Tree tree;
    Machine machine = read_placeless(tree);
    merge_nvml(*read_double(tree, describe_gpu("00000000:99:00.0", 0)), machine);
    ck_assert_uint_eq(machine.gpus.size(), 1);
    expect_text(to_string(machine.gpus[0].pci), "0000:99:00.0");
    ck_assert(has_note(machine, "GPU 0000:06:00.0"));
}
END_TEST

START_TEST(library_and_driver_version_are_noted_so_that_a_double_shows)
{
    const Tree tree;
    tree.file("/nvml", "driver = 570.00\n" + describe_gpu("00000000:81:00.0", 0));
    ::setenv("MSCALE_NVML_DOUBLE", (tree.path() + "/nvml").c_str(), 1);
    const Result<Machine> machine = probe_machine({Root(), double_path()});
    ck_assert(machine.has_value());
    ck_assert(has_note(*machine, double_path() + ", driver 570.00 (a double, no hardware)"));
    ck_assert_uint_eq(machine->gpus.size(), 1);
    ck_assert_uint_eq(machine->gpus[0].sm_chunk, 8);
}
END_TEST

START_TEST(a_library_that_cannot_be_used_is_a_note_and_no_failure)
{
    const Result<Machine> machine = probe_machine({Root(), "/nonexistent/libnvidia-ml.so.1"});
    ck_assert(machine.has_value());
    ck_assert(has_note(*machine, "NVML can't be loaded"));
    const Tree tree;
    ck_assert(!read_double(tree, "[gpu]\ncolour = green"));
}
END_TEST

START_TEST(without_a_driver_the_pci_id_names_the_model)
{
    const Tree tree;
    tree.file("/sys/devices/pci0000:00/0000:06:00.0/device", "0x2330");
    tree.pci("pci0000:00/0000:06:00.0", "0x10de", "0x030200", 0);
    tree.pci("pci0000:00/0000:07:00.0", "0x10de", "0x068000", 0); // an NVSwitch
    tree.pci("pci0000:00/0000:08:00.0", "0x1a03", "0x030000", 0); // the console of a server
    const std::vector<Gpu> gpus = read_kernel_gpus(tree.root());
    ck_assert_uint_eq(gpus.size(), 1);
    expect_text(gpus[0].model, "NVIDIA H100 80GB HBM3");
    ck_assert(!gpus[0].minor);
}
END_TEST

START_TEST(facts_from_the_table_of_models_are_marked_as_such)
{
    struct Row {
        const char *model, *capability;
        unsigned sms, chunk;
    };
    for (const Row& row :
         {Row{"NVIDIA A100-SXM4-80GB", "8.0", 108, 4}, Row{"NVIDIA A10", "8.6", 72, 4},
          Row{"NVIDIA L40S", "8.9", 142, 4}, Row{"NVIDIA L40", "8.9", 142, 4},
          Row{"NVIDIA H200", "9.0", 132, 8}, Row{"NVIDIA GH200 120GB", "9.0", 132, 8},
          Row{"NVIDIA H100 PCIe", "9.0", 114, 8}, Row{"Tesla V100-SXM2-32GB", "7.0", 80, 0}}) {
        Gpu gpu;
        gpu.model = row.model;
        complete_gpu(gpu);
        ck_assert_msg(gpu.sms == row.sms && gpu.sm_chunk == row.chunk, "%s: %u SMs, chunk %u", row.model,
                      gpu.sms, gpu.sm_chunk);
        expect_text(gpu.compute_capability, row.capability);
        expect_text(gpu.sm_source, "architecture");
    }
}
END_TEST

START_TEST(number_formats_follow_from_the_compute_capability)
{
    const auto has = [](const char* capability, const char* ability) {
        Gpu gpu;
        gpu.compute_capability = capability;
        complete_gpu(gpu);
        return std::find(gpu.abilities.begin(), gpu.abilities.end(), ability) != gpu.abilities.end();
    };
    ck_assert(has("9.0", "fp8") && has("8.9", "fp8") && !has("8.6", "fp8"));
    ck_assert(has("8.0", "bf16") && !has("7.5", "bf16"));
    ck_assert(has("10.0", "fp4") && !has("9.0", "fp4"));
}
END_TEST

START_TEST(an_unknown_model_has_no_sms_and_no_chunk)
{
    Gpu gpu;
    gpu.model = "NVIDIA Thing 9000";
    complete_gpu(gpu);
    ck_assert_uint_eq(gpu.sms, 0);
    ck_assert_uint_eq(gpu.sm_chunk, 0);
    expect_text(gpu.sm_source, "");
    ck_assert(gpu.abilities.empty());
}
END_TEST

Suite* gpus_suite()
{
    return make_suite(
        "gpus", index_and_minor_of_a_gpu_are_looked_up_by_its_address,
        nvml_tells_model_sms_memory_and_capability, nvml_places_a_gpu_that_sysfs_does_not_and_a_note_says_so,
        all_cpus_are_no_place, sysfs_wins_where_both_tell_a_node,
        a_gpu_that_nvml_does_not_know_is_left_out_and_named,
        library_and_driver_version_are_noted_so_that_a_double_shows,
        a_library_that_cannot_be_used_is_a_note_and_no_failure, without_a_driver_the_pci_id_names_the_model,
        facts_from_the_table_of_models_are_marked_as_such, number_formats_follow_from_the_compute_capability,
        an_unknown_model_has_no_sms_and_no_chunk);
}
