#include "base/cpu_set.hpp"

#include <unistd.h>

#include "base/files.hpp"
#include "base/text.hpp"
#include "tests/unit/base/suites.hpp"

using namespace mscale;

namespace {

struct Row {
    std::string input, context, result;
};

std::string with_newlines(std::string text)
{
    for (std::size_t at; (at = text.find("\\n")) != std::string::npos;) text.replace(at, 2, "\n");
    return text;
}

std::vector<Row> read_rows()
{
    const auto text = read_file(fixture("cases/values/cpulists.tsv"));
    ck_assert(text.has_value());
    std::vector<Row> rows;
    for (const std::string_view line : split(*text, '\n')) {
        const auto cells = split(line, '\t');
        if (line.starts_with('#') || cells.size() < 3) continue;
        rows.push_back({with_newlines(std::string(cells[0])), std::string(cells[1]), std::string(cells[2])});
    }
    return rows;
}

/// What the table says of a list that the grammar takes: absent CPUs are the verdict's matter, not the
/// reader's.
std::string found(const Row& row)
{
    const auto set = parse_cpu_list(row.input, row.context == "sysfs cpulist");
    if (set) return set->empty() ? "(empty set)" : to_string(*set);
    ck_assert(set.error().code == Code::bad_cpu_list);
    return "ERR";
}

std::string expected(const Row& row)
{
    if (row.result.starts_with("ERR:absent")) return row.input;
    if (row.result.starts_with("ERR")) return "ERR";
    return row.result;
}

std::string fault_of(std::string_view list)
{
    const auto set = parse_cpu_list(list);
    ck_assert_msg(!set, "'%s' was read", std::string(list).c_str());
    return set.error().text;
}

CpuSet set_of(std::string_view list)
{
    return parse_cpu_list(list, true).value();
}

} // namespace

START_TEST(every_cpu_list_of_the_cases_is_read_as_its_row_says)
{
    const auto rows = read_rows();
    ck_assert_uint_ge(rows.size(), 15);
    for (const Row& row : rows) {
        const auto got = found(row), wanted = expected(row);
        ck_assert_msg(got == wanted, "'%s': %s, not %s", row.input.c_str(), got.c_str(), wanted.c_str());
    }
}
END_TEST

START_TEST(strides_and_groups_follow_the_kernel)
{
    expect_text(to_string(set_of("0-7:2")), "0,2,4,6");
    expect_text(to_string(set_of("0-7:2/4")), "0-1,4-5");
    expect_text(to_string(set_of("0-3,8-11:2/4")), "0-3,8-9");
    expect_text(to_string(set_of(" 5 \n")), "5");
}
END_TEST

START_TEST(a_fault_names_its_byte)
{
    expect_text(fault_of("0-3,8-6"), "CPU list '0-3,8-6', byte 5: the range 8-6 is reversed");
    expect_text(fault_of("0-3,"), "CPU list '0-3,', byte 5: a CPU number is missing");
    expect_text(fault_of("0 1"), "CPU list '0 1', byte 2: a number, ',', '-', ':' or '/' is expected");
    ck_assert(fault_of("0-7:0").find("byte 5") != std::string::npos);
    ck_assert(fault_of("0-7:3/2").find("byte 5") != std::string::npos);
}
END_TEST

START_TEST(a_number_beyond_the_kernels_limit_is_a_fault_and_never_wraps)
{
    ck_assert(fault_of("8192").find("below 8192") != std::string::npos);
    ck_assert(fault_of("0-4294967296").find("below 8192") != std::string::npos);
    ck_assert(fault_of("99999999999999999999").find("below 8192") != std::string::npos);
    ck_assert(set_of("8191").contains(8191));
}
END_TEST

START_TEST(a_mask_is_met_with_the_cure)
{
    const auto set = parse_cpu_list("0xff");
    ck_assert(!set);
    ck_assert(set.error().cure.find("as a list") != std::string::npos);
}
END_TEST

START_TEST(sets_combine_as_sets_do)
{
    const CpuSet a = set_of("0-3,8"), b = set_of("2-5");
    expect_text(to_string(a | b), "0-5,8");
    expect_text(to_string(a & b), "2-3");
    expect_text(to_string(a - b), "0-1,8");
    ck_assert(a.intersects(b) && !a.contains(b) && a.contains(set_of("0,8")) && a.contains(CpuSet()));
    ck_assert(CpuSet({3, 1, 3}) == set_of("1,3"));
    CpuSet grown = set_of("1");
    for (const unsigned cpu : {5U, 0U, 1U}) grown.insert(cpu);
    ck_assert(grown == set_of("0-1,5"));
}
END_TEST

START_TEST(a_process_is_bound_and_read_back)
{
    const CpuSet all = read_affinity().value();
    const CpuSet first({all.cpus().front()});
    ck_assert(bind_affinity(0, first).has_value());
    ck_assert(read_affinity().value() == first);
    ck_assert(bind_affinity(0, all).has_value());
}
END_TEST

START_TEST(a_binding_that_the_kernel_cuts_names_both_sets)
{
    const CpuSet all = read_affinity().value();
    const auto bound = bind_affinity(0, all | CpuSet({8000}));
    ck_assert(!bound);
    ck_assert(bound.error().text.find(",8000, the kernel gave " + to_string(all)) != std::string::npos);
}
END_TEST

Suite* cpu_set_suite()
{
    return make_suite("cpu_set", every_cpu_list_of_the_cases_is_read_as_its_row_says,
                      strides_and_groups_follow_the_kernel, a_fault_names_its_byte,
                      a_number_beyond_the_kernels_limit_is_a_fault_and_never_wraps,
                      a_mask_is_met_with_the_cure, sets_combine_as_sets_do, a_process_is_bound_and_read_back,
                      a_binding_that_the_kernel_cuts_names_both_sets);
}
