#include "base/files.hpp"
#include "base/text.hpp"
#include "tests/unit/verdict/machines.hpp"
#include "tests/unit/verdict/suites.hpp"

// Cases from public reports about texts: addresses, sizes, files with CR LF.
using namespace mscale;
using namespace mscale::contract;

namespace {

std::vector<std::vector<std::string>> read_rows(const std::string& name)
{
    std::vector<std::vector<std::string>> rows;
    const std::string text = read_file(fixture("cases/values/" + name)).value();
    for (const std::string_view line : split(text, '\n')) {
        if (line.empty() || line.front() == '#') continue;
        const auto parts = split(line, '\t');
        rows.emplace_back(parts.begin(), parts.end());
    }
    ck_assert_uint_gt(rows.size(), 5);
    return rows;
}

/// The canonical address, or "ERR"; a short form is marked with "UNIQUE:" as in the table.
std::string read_address(const std::string& text)
{
    bool domain_given = false;
    const auto address = hal::parse_pci_address(text, &domain_given);
    if (!address) return "ERR";
    return (domain_given ? "" : "UNIQUE:") + hal::to_string(*address);
}

/// The bytes of a page size in a contract that the machine can hold, or "ERR".
std::string read_page_size(const std::string& size)
{
    const Parsed parsed = parse_contract(format("role.a.hugepages={}*1", size), "test", NoProfiles());
    if (!parsed.ok()) return "ERR";
    hal::Machine machine = two_sockets();
    machine.kernel.huge_page_sizes = {64ULL << 10, 2ULL << 20, 1ULL << 30};
    for (hal::NumaNode& node : machine.numa) node.free_bytes = 8ULL << 30;
    const Site site;
    if (!verify(parsed.contract, {machine, site, {}}).honoured()) return "ERR";
    return std::to_string(parsed.contract.roles.at("a").hugepages->page_bytes);
}

} // namespace

START_TEST(case_d01_to_d04_pci_addresses_are_read_as_their_rows_say)
{
    for (const auto& row : read_rows("pci_ids.tsv")) {
        const std::string expected = row[1].starts_with("ERR") ? "ERR" : row[1];
        ck_assert_msg(read_address(row[0]) == expected, "'%s' is read as %s", row[0].c_str(),
                      read_address(row[0]).c_str());
    }
}
END_TEST

START_TEST(case_d02_a_short_address_is_taken_where_one_device_has_it)
{
    hal::Machine machine = two_sockets();
    for (const auto& row : read_rows("pci_ids.tsv")) {
        if (!row[1].starts_with("UNIQUE:")) continue;
        machine.gpus[0].pci = hal::parse_pci_address(row[1].substr(7)).value();
        const std::string clause = format("role.a.gpu={}", row[0]);
        const Verdict one = judge(clause, machine);
        expect_honoured(one);
        ck_assert_uint_eq(one.plan.workers[0].roles[0].gpu.value(), 0);
        ck_assert(refusal_of(judge(clause, two_sockets()), "role.a.gpu").code == Code::no_such_gpu);

        machine.gpus[1].pci = machine.gpus[0].pci;
        machine.gpus[1].pci.domain = 1;
        const Refusal several = refusal_of(judge(clause, machine), "role.a.gpu");
        ck_assert(several.code == Code::ambiguous_device);
        expect_part(several.reason, format("{}, {}", hal::to_string(machine.gpus[0].pci),
                                           hal::to_string(machine.gpus[1].pci)));
        machine.gpus[1].pci = two_sockets().gpus[1].pci;
    }
}
END_TEST

START_TEST(case_d13_and_d14_sizes_are_binary_in_every_spelling)
{
    for (const auto& row : read_rows("sizes.tsv")) {
        if (row[1] != "hugepage size") continue;
        const std::string read = read_page_size(row[0]);
        const bool fits = row[2].starts_with("ERR") ? read == "ERR"
                          : row[2].starts_with("ONEOF")
                              ? read == "ERR" || row[2].find("(" + read + "|") != std::string::npos
                              : read == row[2];
        ck_assert_msg(fits, "'%s' is read as %s", row[0].c_str(), read.c_str());
    }
}
END_TEST

START_TEST(case_b25_a_contract_file_with_cr_lf_is_accepted)
{
    const Parsed parsed =
        parse_contract_ini("[role.loader]\r\ncores = 2\r\nnear = gpu\r\n", "file.ini", NoProfiles());
    ck_assert_msg(parsed.ok(), "%s", to_text(parsed.faults).c_str());
    expect_text(to_canonical(parsed.contract), "role.loader.cores=2,role.loader.near=gpu");
}
END_TEST

Suite* cases_text_suite()
{
    return make_suite("cases_text", case_d01_to_d04_pci_addresses_are_read_as_their_rows_say,
                      case_d02_a_short_address_is_taken_where_one_device_has_it,
                      case_d13_and_d14_sizes_are_binary_in_every_spelling,
                      case_b25_a_contract_file_with_cr_lf_is_accepted);
}
