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
    expect_part(fault_of("/gpus/2/sms", "many"), "a.json: gpus[2]: member 'sms': a whole number");
    expect_part(fault_of("/gpus/2/sms", -1), "but -1 was read");
    expect_part(fault_of("/gpus/2/sms", 4294967296), "from 0 to 4294967295");
    expect_part(fault_of("/gpus/0/pci", "here"), "a PCI address");
    expect_part(fault_of("/cores/3/cpus", "3-1"), "cores[3]: member 'cpus': a CPU list");
    expect_part(fault_of("/cores/3/spans_nodes", 0), "true or false");
    expect_part(fault_of("/gpus/1/locality", 5), "gpus[1]: locality: an object");
    expect_part(fault_of("/notes", Json::object()), "a list");
    expect_part(fault_of("/kernel/cpu_flags", Json::array({1})), "cpu_flags[0]");
}
END_TEST

START_TEST(a_missing_member_is_named)
{
    Json json = to_json(read_model("kvm-flat-numa-1"));
    json.erase("online");
    expect_part(machine_from_json(json, "a.json").error().text, "member 'online' is missing");
    ck_assert(!machine_from_json(Json::array(), "a.json"));
}
END_TEST

START_TEST(another_version_of_the_form_is_refused_with_both)
{
    expect_part(fault_of("/mscale_machine", 2), "version 2 of the form, this mscale reads version 1");
}
END_TEST

Suite* machine_json_suite()
{
    return make_suite("machine_json", every_model_and_this_system_round_trip,
                      the_member_at_fault_is_named_with_what_was_read, a_missing_member_is_named,
                      another_version_of_the_form_is_refused_with_both);
}
