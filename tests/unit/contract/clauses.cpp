#include "contract/clauses.hpp"
#include "contract/redundancy.hpp"

#include <set>

#include "tests/unit/contract/texts.hpp"

using namespace mscale;
using namespace mscale::contract;

namespace {

std::string full_name(const Clause& clause, std::string_view role = "loader")
{
    return clause.section == "role" ? format("role.{}.{}", role, clause.key)
                                    : format("{}.{}", clause.section, clause.key);
}

/// What must stand beside a clause so that it has something to hold on, and nothing of the same section twice.
std::string beside(const Clause& clause)
{
    if (clause.key == "sm_mode") return "gpu.sm=8";
    if (clause.key == "memory_mode") return "gpu.memory=1GiB";
    if (clause.key == "spill_every") return "ft.spill=/scratch";
    if (clause.key == "frequency") return "role.loader.cores=2";
    if (clause.key == "disk_queues") return "role.loader.disk=nvme,role.loader.cores=2";
    if (clause.section == "role" && clause.key != "disk") return "role.loader.disk=nvme";
    return clause.section == "rdma" ? "gpu.model=h100" : "rdma.retry_count=3";
}

} // namespace

START_TEST(every_example_of_the_table_is_a_right_clause)
{
    for (const Clause& clause : clause_table()) {
        if (clause.key == "profile") continue;
        const Parsed parsed = parse(format("{}={},{}", full_name(clause), clause.example, beside(clause)));
        ck_assert_msg(parsed.ok(), "%s: %s", full_name(clause).c_str(), to_text(parsed.faults).c_str());
        const auto role = parsed.contract.roles.find("loader");
        const bool has_role = role != parsed.contract.roles.end();
        const bool is_written = !clause.write(parsed.contract, has_role ? &role->second : nullptr).empty();
        ck_assert_msg(is_written == (clause.key != "recovery_point"), "%s", full_name(clause).c_str());
    }
}
END_TEST

START_TEST(every_clause_refuses_nonsense)
{
    for (const Clause& clause : clause_table()) {
        const Parsed parsed = parse(format("{}=!?,rdma.credit_window=3", full_name(clause)));
        ck_assert_msg(!parsed.ok(), "%s", full_name(clause).c_str());
        for (const Fault& fault : parsed.faults)
            ck_assert_msg(!fault.error.text.empty() && !fault.error.cure.empty(), "%s",
                          full_name(clause).c_str());
    }
}
END_TEST

START_TEST(every_row_says_what_it_means_once)
{
    std::set<std::string> names;
    for (const Clause& clause : clause_table()) {
        ck_assert_msg(names.insert(full_name(clause)).second, "%s stands twice", full_name(clause).c_str());
        ck_assert(!clause.values.empty() && clause.meaning.ends_with('.'));
    }
}
END_TEST

START_TEST(a_clause_is_found_by_its_full_name_only)
{
    ck_assert(find_clause("role.loader.cores") != nullptr && find_clause("gpu.sm") != nullptr);
    for (const char* wrong : {"role.cores", "cores", "gpu.x.sm", "gpu.", ".sm", "", "GPU.sm"})
        ck_assert_msg(find_clause(wrong) == nullptr, "%s", wrong);
}
END_TEST

START_TEST(numbers_hold_their_ranges)
{
    for (const char* right : {"rdma.retry_count=0", "rdma.retry_count=7", "role.a.disk=any,role.a.io_weight=10000",
                              "ft.detect=150ms", "ft.detect=1h", "ft.spares=0", "gpu.share=25%"})
        ck_assert_msg(parse(right).ok(), "%s", right);
    for (const char* wrong : {"rdma.retry_count=8", "rdma.retry_count=-1", "role.a.io_weight=10001",
                              "gpu.sm=0", "gpu.sm=1.5", "gpu.sm=99999999999999999999999", "gpu.share=100%",
                              "gpu.share=2/4", "ft.detect=149ms", "ft.detect=2h", "ft.every=0", "ft.redundancy=rs:4", "ft.recovery_point=128",
                              "contract.workers=0", "rdma.rate_min=200GB/s", "gpu.needs=[fp8,fp8]"})
        ck_assert_msg(!parse(wrong).ok(), "%s", wrong);
}
END_TEST

START_TEST(the_words_of_ft_redundancy_are_schemes)
{
    const auto scheme = [](const char* text) { return coding_scheme_of(parse(text).contract.ft); };
    ck_assert(scheme("ft.redundancy=xor:4") == CodingScheme({4, 1}) && scheme("ft.redundancy=rs:4+2") == CodingScheme({6, 2}));
    for (const char* none : {"ft.redundancy=partner", "ft.redundancy=xor:1", "ft.redundancy=rs:4+9", "ft.every=5"})
        ck_assert_msg(scheme(none) == CodingScheme(), "%s", none);
    const auto copies = [](const char* text) { return count_copies(parse(text).contract.ft); };
    ck_assert(copies("ft.redundancy=xor:4") == 0 && copies("ft.redundancy=xor:4,ft.copies=2") == 2 && copies("ft.every=5") == 1);
}
END_TEST

START_TEST(a_recovery_point_is_the_same_as_every)
{
    expect_text(canonical("ft.recovery_point=step_128"), "ft.every=128");
}
END_TEST

Suite* clauses_suite()
{
    return make_suite("clauses", every_example_of_the_table_is_a_right_clause, every_clause_refuses_nonsense,
                      every_row_says_what_it_means_once, a_clause_is_found_by_its_full_name_only,
                      numbers_hold_their_ranges, the_words_of_ft_redundancy_are_schemes,
                      a_recovery_point_is_the_same_as_every);
}
