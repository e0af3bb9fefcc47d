// Contracts in files: the damaged ones of the cases, with their neutral keys renamed to the language.
#include <algorithm>

#include "base/files.hpp"
#include "tests/unit/contract/texts.hpp"

using namespace mscale;
using namespace mscale::contract;

namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to)
{
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
}

std::string as_contract(std::string text)
{
    const std::pair<std::string_view, std::string_view> renamed[] = {
        {"name = ", "strict = "},
        {" demo", " yes"},
        {std::string_view("de\0mo", 5), std::string_view("y\0es", 4)},
        {"[loader]", "[role.loader]"},
        {"cpu_core", "core"},
        {"numa = ", "near = numa:"},
        {"id = 0000:1b:00.0", "model = h100"},
        {"hugepages = 512", "pool = 2M*512"},
        {"hugepage_size = 2M", "retry_count = 3"},
    };
    for (const auto& [from, to] : renamed) replace_all(text, from, to);
    return text;
}

Parsed parse_case(const std::string& name)
{
    const auto text = read_file(fixture("cases/ini/" + name));
    ck_assert(text.has_value());
    return parse_contract_ini(as_contract(*text), name, GivenProfiles(GivenProfiles::Texts{}));
}

Fault only_fault(const std::string& name)
{
    const Parsed parsed = parse_case(name);
    ck_assert_msg(parsed.faults.size() == 1, "%s: %s", name.c_str(), to_text(parsed.faults).c_str());
    return parsed.faults.front();
}

} // namespace

START_TEST(every_file_of_the_cases_is_taken_or_refused_as_its_row_says)
{
    for (const auto& row : case_rows("ini/EXPECT.tsv")) {
        const Parsed parsed = parse_case(row[0]);
        ck_assert_msg(parsed.ok() == row[1].starts_with("accept"), "%s: %s", row[0].c_str(),
                      to_text(parsed.faults).c_str());
    }
}
END_TEST

START_TEST(line_ends_and_a_byte_order_mark_change_nothing)
{
    const Parsed good = parse_case("good.ini");
    for (const char* name : {"crlf.ini", "bom.ini", "inline_comment.ini", "no_final_newline.ini"})
        ck_assert_msg(parse_case(name).contract == good.contract, "%s", name);
}
END_TEST

START_TEST(a_damaged_file_is_refused_with_what_is_wrong)
{
    expect_text(only_fault("unknown_key.ini").error.cure, "did you mean 'role.loader.cores'?");
    expect_text(only_fault("dup_key.ini").error.text,
                "key 'near' of [role.loader] stands in line 5 and again in line 6");
    expect_text(parse_case("dup_section.ini").faults.at(0).error.text,
                "section [role.loader] stands in line 3 and again in line 12");
    ck_assert(only_fault("empty.ini").error.code == Code::empty_contract);
    ck_assert(only_fault("comments_only.ini").error.code == Code::empty_contract);
    ck_assert(only_fault("nul_byte.ini").error.text.find("offset") != std::string::npos);
}
END_TEST

START_TEST(a_list_of_a_hundred_cpus_is_read_whole)
{
    const Parsed parsed = parse_case("long_line_300.ini");
    expect_text(
        to_canonical(parsed.contract).substr(0, 60),
        std::string("contract.strict=yes,gpu.model=h100,role.loader.cores=[0-99],role.loader").substr(0, 60));
}
END_TEST

START_TEST(a_wrong_heading_is_one_fault_at_the_heading)
{
    const Parsed parsed = parse("[gpu]\nsm = 8\n\n[rol.loader]\ncores = 4\nnear = gpu\n");
    ck_assert_uint_eq(parsed.faults.size(), 1);
    ck_assert(parsed.faults[0].place.line == 4);
    expect_text(marked(parsed.faults[0]), "[rol.loader]");
    expect_text(parsed.faults[0].error.cure, "did you mean 'role'?");
}
END_TEST

START_TEST(the_contract_of_the_design_is_read)
{
    const Parsed parsed =
        parse("[gpu]\nmodel = h100\nsm = 32\nsm_mode = exclusive\nmemory = 20GiB ; told\n"
              "[role.image_loader]\ncores = [2-3,8]\nnear = gpu\nhugepages = 2MiB*512\ndisk = nvme\n"
              "io_depth = 64\n[role.patch_embed]\ngpu = 0000:81:00.0\npcie_domain = 0000:81\n"
              "[rdma]\nport = mlx5_0\npool = 2MiB*2048\ncredit_window = 128\nretry_count = 3\n"
              "[ft]\nevery = 128\ncopies = 1\nspares = 1\nstate = 8GiB\nstep_time = 2s\n"
              "spill = /scratch/%u/%j\nspill_every = 10\n[on_breach]\naction = fail\n");
    ck_assert_msg(parsed.ok(), "%s", to_text(parsed.faults).c_str());
    expect_text(
        to_canonical(parsed.contract),
        "gpu.model=h100,gpu.sm=32,gpu.sm_mode=exclusive,gpu.memory=20GiB,role.image_loader.cores=[2-3,8],"
        "role.image_loader.near=gpu,role.image_loader.hugepages=2MiB*512,role.image_loader.disk=nvme,"
        "role.image_loader.io_depth=64,role.patch_embed.gpu=0000:81:00.0,role.patch_embed.pcie_domain=0000:"
        "81,"
        "rdma.port=mlx5_0:1,rdma.pool=2MiB*2048,rdma.credit_window=128,rdma.retry_count=3,ft.every=128,"
        "ft.copies=1,ft.spares=1,ft.state=8GiB,ft.step_time=2s,ft.spill=/scratch/%u/%j,ft.spill_every=10,"
        "on_breach.action=fail");
}
END_TEST

Suite* contract_ini_suite()
{
    return make_suite("contract_ini", every_file_of_the_cases_is_taken_or_refused_as_its_row_says,
                      line_ends_and_a_byte_order_mark_change_nothing,
                      a_damaged_file_is_refused_with_what_is_wrong, a_list_of_a_hundred_cpus_is_read_whole,
                      a_wrong_heading_is_one_fault_at_the_heading, the_contract_of_the_design_is_read);
}
