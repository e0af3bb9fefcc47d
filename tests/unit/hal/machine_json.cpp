#include "hal/machine_json.hpp"

#include "base/json.hpp"
#include "hal/probe.hpp"
#include "tests/unit/hal/suites.hpp"
#include "tests/unit/hal/tree.hpp"

using namespace mscale;
using namespace mscale::hal;

namespace {

void expect_round_trip(const Machine& machine)
{
    const Result<Json> text = parse_json(to_json(machine).dump(), "text");
    ck_assert(text.has_value());
    const Result<Machine> again = machine_from_json(*text, "text");
    ck_assert_msg(again.has_value(), "%s", again ? "" : again.error().text.c_str());
    ck_assert(to_json(*again) == to_json(machine));
    ck_assert(!again->this_system);
}

/// The fault when one member of a good machine is replaced.
std::string fault_of(const char* pointer, const Json& value)
{
    Json json = to_json(read_model("kvm-flat-numa-1"));
    json[Json::json_pointer(pointer)] = value;
    const Result<Machine> machine = machine_from_json(json, "a.json");
    ck_assert_msg(!machine, "%s was accepted", pointer);
    ck_assert(machine.error().code == Code::json_member);
    return machine.error().text;
}

} // namespace

START_TEST(every_model_and_this_system_round_trip)
{
    for (const char* name : model_names) {
        expect_round_trip(read_model(name));
        expect_round_trip(read_model_xml(name));
    }
    expect_round_trip(probe_machine({}).value());
}
END_TEST

START_TEST(the_member_at_fault_is_named_with_what_was_read)
{
    expect_part(fault_of("/gpus/2/sms", "many"), "a.json: /gpus/2/sms: a whole number");
    expect_part(fault_of("/gpus/2/sms", -1), "but -1 was read");
    expect_part(fault_of("/gpus/2/sms", 4294967296), "from 0 to 4294967295");
    expect_part(fault_of("/gpus/0/pci", "here"), "a PCI address");
    expect_part(fault_of("/cores/3/cpus", "3-1"), "/cores/3/cpus: a CPU list");
    expect_part(fault_of("/cores/3/spans_nodes", 0), "true or false");
    expect_part(fault_of("/gpus/1/locality", 5), "/gpus/1/locality: an object");
    expect_part(fault_of("/notes", Json::object()), "a list");
    expect_part(fault_of("/kernel/cpu_flags", Json::array({1})), "a.json: /kernel/cpu_flags/0: a string");
}
END_TEST

START_TEST(a_missing_member_is_named)
{
    Json json = to_json(read_model("kvm-flat-numa-1"));
    json.erase("online");
    expect_part(machine_from_json(json, "a.json").error().text, "a.json: /online is missing");
    ck_assert(!machine_from_json(Json::array(), "a.json"));
}
END_TEST

START_TEST(another_version_of_the_form_is_refused_with_both)
{
    expect_part(fault_of("/mscale_machine", 2), "version 2 of the form, this mscale reads version 1");
}
END_TEST

START_TEST(every_fault_is_told_at_once_with_its_pointer)
{
    Json json = to_json(read_model("kvm-flat-numa-1"));
    json["gpus"][0]["sms"] = -1;
    json["gpus"][1].erase("model");
    json["online"] = "3-1";
    json["cores"][2] = 7;
    expect_text(machine_from_json(json, "a.json").error().text,
                "a.json: /cores/2: an object is expected, but it is number; /online: a CPU list is expected, but \"3-1\" was "
                "read; /gpus/0/sms: a whole number from 0 to 4294967295 is expected, but -1 was read; /gpus/1/model is missing");
    for (Json& core : json["cores"]) core = 7;
    for (int i = 0; i < 1000; ++i) json["cores"].push_back(7);
    const std::string many = machine_from_json(json, "a.json").error().text;
    ck_assert(many.size() < 10000 && many.ends_with("further faults aren't listed"));
}
END_TEST

START_TEST(a_machine_whose_parts_do_not_fit_is_refused_with_every_reason)
{
    expect_part(fault_of("/gpus/1/locality/numa", 7), "a.json: /gpus/1/locality/numa: there is no NUMA node 7");
    expect_part(fault_of("/disks/0/locality/numa", 7), "/disks/0/locality/numa: there is no NUMA node 7");
    expect_part(fault_of("/gpus/1/index", 0), "/gpus/1/index: GPU 0 stands there twice");
    expect_part(fault_of("/cores/1/cpus", "0"), "/cores/1/cpus: CPUs 0 stand there twice");
    expect_part(fault_of("/cores/1/cpus", "8000"), "/cores/1/cpus: CPUs 8000 aren't online");
    expect_part(fault_of("/cores/1/numa", 3), "/cores/1/numa: there is no NUMA node 3");
    expect_part(fault_of("/numa/0/free_bytes", 1ULL << 60), "/numa/0/free_bytes: ");
    expect_part(fault_of("/numa/0/huge_pages", Json::array({{{"page_bytes", 0}, {"total", 1}, {"free", 2}, {"surplus", 0}}})),
                "/numa/0/huge_pages/0/page_bytes: 0 is no size of a page; /numa/0/huge_pages/0/free: 2 are free of 1");
    expect_part(fault_of("/kernel/huge_page_sizes", Json::array({0, 2097153})),
                "/kernel/huge_page_sizes/0: 0 is no size of a page; /kernel/huge_page_sizes/1: 2097153 is no size of a page");
    expect_part(fault_of("/disks/0/serial", "S\x1b]0;x"), "/disks/0/serial: 'S\\x1B]0;x' has control bytes");
    expect_part(fault_of("/gpus/0/model", "H100\n"), "/gpus/0/model: ");
    expect_part(fault_of("/numa", Json::array()), "/numa: no NUMA node is listed");
}
END_TEST

START_TEST(nodes_and_cores_that_share_cpus_are_refused)
{
    const Json json = to_json(read_model("dgx-a100-nps4"));
    Json twice = json;
    twice["numa"][1]["id"] = 0;
    expect_part(machine_from_json(twice, "c.json: /machine").error().text,
                "c.json: /machine/numa/1/id: NUMA node 0 stands there twice; /machine/cores/16/numa: there is no NUMA node 1; ");
    Json shared = json;
    shared["numa"][2]["cpus"] = json["numa"][3]["cpus"];
    const std::string text = machine_from_json(shared, "c.json").error().text;
    expect_part(text, "c.json: /numa/3/cpus: CPUs 48-63,176-191 stand there twice; ");
    expect_part(text, "/cores/32/numa: NUMA node 2 has none of the CPUs 32,160; ");
    expect_part(text, "/cores/48/numa: it is 3, but CPUs 48,176 of the core lie in NUMA node 2");
}
END_TEST

Suite* machine_json_suite()
{
    return make_suite("machine_json", every_model_and_this_system_round_trip,
                      the_member_at_fault_is_named_with_what_was_read, a_missing_member_is_named,
                      another_version_of_the_form_is_refused_with_both, every_fault_is_told_at_once_with_its_pointer,
                      a_machine_whose_parts_do_not_fit_is_refused_with_every_reason,
                      nodes_and_cores_that_share_cpus_are_refused);
}
