#include "hal/machine_text.hpp"

#include "base/text.hpp"
#include "hal/probe.hpp"
#include "hal/text_box.hpp"
#include "tests/unit/hal/suites.hpp"
#include "tests/unit/hal/tree.hpp"

using namespace mscale;
using namespace mscale::hal;

START_TEST(no_line_is_wider_than_the_terminal)
{
    for (const char* name : model_names)
        for (const Machine& machine : {read_model(name), read_model_xml(name)})
            for (const unsigned columns : {40u, 80u, 120u, 200u}) {
                const std::string drawn = draw_machine(machine, columns);
                for (const std::string_view line : split(drawn, '\n'))
                    ck_assert_msg(display_width(line) <= columns, "%u columns: %s", columns,
                                  std::string(line).c_str());
            }
}
END_TEST

START_TEST(facts_of_devices_are_whole_at_80_and_120_columns)
{
    for (const char* name : model_names)
        for (const Machine& machine : {read_model(name), read_model_xml(name)})
            for (const unsigned columns : {80u, 120u})
                ck_assert(draw_machine(machine, columns).find("…") == std::string::npos);
}
END_TEST

START_TEST(devices_stand_in_the_box_of_their_node)
{
    const std::string drawing = draw_machine(read_model("hgx-h100-2s"), 80);
    const std::size_t node1 = drawing.find("┌ node 1");
    ck_assert(drawing.find("GPU 3") < node1 && drawing.find("GPU 4") > node1);
    ck_assert(drawing.find("mlx5_5 ") < node1 && drawing.find("nvme7n1") > node1);
    expect_part(drawing, "56 × 2 CPUs   56-111,168-223");
}
END_TEST

START_TEST(devices_of_unknown_place_stand_in_a_box_of_their_own)
{
    const std::string drawing = draw_machine(read_model("kvm-flat-numa-1"), 80);
    ck_assert(drawing.find("GPU 0") > drawing.find("┌ place unknown"));
}
END_TEST

START_TEST(nodes_without_cpus_share_one_box)
{
    const std::string drawing = draw_machine(read_model("gh200-4x"), 80);
    expect_part(drawing, "36 NUMA nodes (4 with CPUs)");
    expect_part(drawing, "96 GiB   nodes 4,12,20,28");
    expect_part(drawing, "empty    nodes 5-11,13-19,21-27,29-35");
}
END_TEST

START_TEST(text_is_cut_and_padded_by_columns_not_bytes)
{
    expect_text(fit("×××", 5), "×××  ");
    expect_text(fit("×××××", 3), "××…");
    ck_assert_uint_eq(display_width("┌ ×"), 3);
}
END_TEST

Suite* machine_text_suite()
{
    return make_suite(
        "machine_text", no_line_is_wider_than_the_terminal, facts_of_devices_are_whole_at_80_and_120_columns,
        devices_stand_in_the_box_of_their_node, devices_of_unknown_place_stand_in_a_box_of_their_own,
        nodes_without_cpus_share_one_box, text_is_cut_and_padded_by_columns_not_bytes);
}
