// The one spelling of a contract: properties over random contracts, with a fixed seed so that a failure comes back.
#include <algorithm>
#include <random>

#include "contract/clauses.hpp"
#include "tests/unit/contract/texts.hpp"

using namespace mscale;
using namespace mscale::contract;

namespace {

using Random = std::mt19937;

unsigned pick(Random& random, unsigned least, unsigned greatest)
{
    return std::uniform_int_distribution<unsigned>(least, greatest)(random);
}

std::string any_size(Random& random)
{
    constexpr std::string_view units[] = {"K", "m", "G", "KiB", "MiB", "GiB", "TiB"};
    return format("{}{}", pick(random, 1, 5000), units[pick(random, 0, 6)]);
}

std::string any_set(Random& random)
{
    std::string set = "[";
    for (unsigned first = pick(random, 0, 3), i = 0; i < 3; ++i, first += pick(random, 2, 9))
        set += format("{}{}-{}", i == 0 ? "" : ",", first, first + pick(random, 0, 1));
    return set + "]";
}

std::string any_time(Random& random)
{
    constexpr std::string_view units[] = {"ms", "s", "min", "h"};
    return format("{}{}", pick(random, 1, 4000), units[pick(random, 0, 3)]);
}

std::string any_value(const Clause& clause, Random& random)
{
    if (clause.key == "detect") return std::string(clause.example); // has bounds of its own
    if (clause.values == "SIZE") return any_size(random);
    if (clause.values == "SIZE/s") return any_size(random) + "/s";
    if (clause.values == "SIZE*COUNT") return format("{}M*{}", pick(random, 1, 5000), pick(random, 1, 9999));
    if (clause.values == "TIME" || (clause.values == "STEPS | TIME" && pick(random, 0, 1) == 1))
        return any_time(random);
    return std::string(clause.example);
}

/// Clauses in random order, with those that others hold on.
std::vector<std::string> any_clauses(Random& random)
{
    std::vector<std::string> clauses = {"gpu.sm=8", format("gpu.memory={}", any_size(random)), "ft.spill=/scratch/%u"};
    std::vector<const char*> roles;
    for (const char* role : {"loader", "a", "z_9"}) {
        if (pick(random, 0, 2) == 0) continue;
        roles.push_back(role);
        clauses.push_back(format("role.{}.cores={}", role, pick(random, 1, 9)));
        clauses.push_back(format("role.{}.disk=nvme", role));
    }
    constexpr std::string_view left_out[] = {"profile", "share", "sm", "memory", "cores", "disk", "recovery_point", "workers", "spill"};
    for (const Clause& clause : clause_table()) {
        const bool is_left_out = std::ranges::find(left_out, clause.key) != std::end(left_out);
        if (is_left_out || pick(random, 0, 2) == 0) continue;
        if (clause.section != "role") {
            clauses.push_back(format("{}.{}={}", clause.section, clause.key, any_value(clause, random)));
            continue;
        }
        for (const char* role : roles)
            if (pick(random, 0, 1) == 1)
                clauses.push_back(format("role.{}.{}={}", role, clause.key, any_value(clause, random)));
    }
    if (pick(random, 0, 1) == 1) clauses.push_back(format("role.alone.cores={}", any_set(random)));
    std::ranges::shuffle(clauses, random);
    return clauses;
}

} // namespace

START_TEST(the_canonical_form_reads_back_as_the_same_contract)
{
    Random random(20261129);
    for (int i = 0; i < 500; ++i) {
        const std::string text = join(any_clauses(random), ",");
        const Parsed first = parse(text);
        ck_assert_msg(first.ok(), "%s\n%s", text.c_str(), to_text(first.faults).c_str());
        const Parsed again = parse(to_canonical(first.contract));
        ck_assert_msg(again.ok() && again.contract == first.contract, "%s", text.c_str());
        ck_assert_msg(again.notes.empty(), "%s is not canonical: %s", text.c_str(),
                      join(again.notes, "; ").c_str());
        expect_text(to_canonical(again.contract), to_canonical(first.contract));
    }
}
END_TEST

START_TEST(the_order_of_clauses_changes_nothing)
{
    Random random(7);
    for (int i = 0; i < 300; ++i) {
        std::vector<std::string> clauses = any_clauses(random);
        const std::string first = canonical(join(clauses, ","));
        std::ranges::shuffle(clauses, random);
        expect_text(canonical(join(clauses, "\n")), first);
    }
}
END_TEST

START_TEST(the_ini_form_reads_back_as_the_same_contract)
{
    Random random(4711);
    for (int i = 0; i < 500; ++i) {
        const Parsed first = parse(join(any_clauses(random), ","));
        const Parsed again =
            parse_contract_ini(to_ini(first.contract), "x", GivenProfiles(GivenProfiles::Texts{}));
        ck_assert_msg(again.ok() && again.contract == first.contract, "%s", to_ini(first.contract).c_str());
    }
}
END_TEST

START_TEST(the_canonical_form_is_one_line_of_ascii)
{
    Random random(1);
    for (int i = 0; i < 200; ++i)
        for (const char c : canonical(join(any_clauses(random), ","))) ck_assert(c >= ' ' && c <= '~');
}
END_TEST

Suite* canonical_suite()
{
    return make_suite("canonical", the_canonical_form_reads_back_as_the_same_contract,
                      the_order_of_clauses_changes_nothing, the_ini_form_reads_back_as_the_same_contract,
                      the_canonical_form_is_one_line_of_ascii);
}
