#include <algorithm>
#include <random>
#include <set>

#include "base/text.hpp"
#include "contract/given.hpp"
#include "contract/nearest_text.hpp"
#include "tests/unit/verdict/machines.hpp"
#include "tests/unit/verdict/suites.hpp"

using namespace mscale;
using namespace mscale::contract;

namespace {

std::string nearest_text(const std::string& text, const hal::Machine& machine,
                         const Allocation& allocation = {})
{
    const Site site;
    const auto nearest = nearest_contract(contract_of(text), {machine, site, allocation});
    return nearest ? to_canonical(*nearest) : "none";
}

/// The names of clauses whose values differ.
std::set<std::string> changed_clauses(const Contract& before, const Contract& after)
{
    std::set<std::string> changed;
    for (const Given& given : given_clauses(before))
        if (value_of(after, given.name) != given.value) changed.insert(given.name);
    for (const Given& given : given_clauses(after))
        if (value_of(before, given.name) != given.value) changed.insert(given.name);
    return changed;
}

std::string random_contract(std::mt19937& random)
{
    const auto pick = [&](std::initializer_list<const char*> values) {
        return *(values.begin() + random() % values.size());
    };
    std::vector<std::string> clauses;
    const auto maybe = [&](const char* key, std::initializer_list<const char*> values) {
        if (random() % 2) clauses.push_back(format("{}={}", key, pick(values)));
    };
    maybe("gpu.model", {"h100", "b300"});
    maybe("gpu.sm", {"8", "132", "400"});
    maybe("role.a.cores", {"1", "3", "9", "[0-1]", "[0,8]", "[4-40]"});
    maybe("role.a.near", {"gpu", "numa:1", "numa:5", "disk"});
    maybe("role.a.hugepages", {"2MiB*10", "2MiB*2000", "16MiB*2", "1GiB*1"});
    maybe("role.b.cores", {"2", "5", "50"});
    maybe("role.b.disk", {"nvme", "nvme1n1", "nvme8n1"});
    if (!clauses.empty() && clauses.back().starts_with("role.b.disk")) maybe("role.b.io_depth", {"64", "500"});
    maybe("rdma.queue_pairs", {"1", "2"});
    maybe("role.b.pcie_domain", {"gpu", "0000:80", "0000:44"});
    maybe("rdma.port", {"mlx5_0:1", "mlx5_4:1"});
    return join(clauses, ",");
}

void expect_right(const Contract& asked, const Question& question)
{
    const Verdict verdict = verify(asked, question);
    const auto nearest = nearest_contract(asked, question);
    if (!nearest) return;
    expect_honoured(verify(*nearest, question));
    if (verdict.honoured()) ck_assert(*nearest == asked);
    ck_assert(contract_of(to_canonical(*nearest)) == *nearest);
}

} // namespace

START_TEST(only_the_broken_clause_changes)
{
    expect_text(nearest_text("role.loader.cores=600", two_sockets()), "role.loader.cores=8");
    expect_text(nearest_text("gpu.model=b300,gpu.sm=16", two_sockets()), "gpu.model=h100,gpu.sm=16");
    expect_text(nearest_text("gpu.sm=400", two_sockets()), "gpu.sm=132");
}
END_TEST

START_TEST(pages_that_fit_are_found)
{
    expect_text(nearest_text("role.a.near=numa:0,role.a.hugepages=2MiB*5000", two_sockets()),
                "role.a.near=numa:0,role.a.hugepages=2MiB*1000");
}
END_TEST

START_TEST(a_wrong_node_becomes_a_relation)
{
    expect_text(nearest_text("role.a.cores=1,role.a.near=numa:7", two_sockets()),
                "role.a.cores=1,role.a.near=gpu");
}
END_TEST

START_TEST(a_split_core_is_made_whole)
{
    expect_text(nearest_text("role.a.cores=[0-1]", two_sockets()), "role.a.cores=[0-1,8-9]");
}
END_TEST

START_TEST(an_unknown_place_is_cured_by_a_lenient_contract)
{
    hal::Machine machine = two_sockets();
    for (hal::Gpu& gpu : machine.gpus) gpu.locality = {};
    expect_text(nearest_text("role.a.cores=1,role.a.near=gpu", machine),
                "contract.strict=no,role.a.cores=1,role.a.near=gpu");
}
END_TEST

START_TEST(a_clause_is_dropped_only_when_nothing_else_helps)
{
    hal::Machine machine = two_sockets();
    machine.ports.clear();
    expect_text(nearest_text("role.a.cores=1,rdma.port=mlx5_0:1", machine), "role.a.cores=1");
}
END_TEST

START_TEST(what_has_lost_its_clause_is_dropped_with_it)
{
    hal::Machine machine = two_sockets();
    machine.disks.clear();
    expect_text(nearest_text("role.a.cores=1,role.a.disk=nvme,role.a.io_depth=64", machine), "role.a.cores=1");
    for (hal::Gpu& gpu : machine.gpus) gpu.sms = gpu.sm_chunk = 0;
    expect_text(nearest_text("gpu.model=h100,gpu.sm=8,gpu.sm_mode=soft", machine), "gpu.model=h100");
}
END_TEST

START_TEST(a_contract_of_which_nothing_is_left_has_no_nearest)
{
    hal::Machine machine = two_sockets();
    machine.gpus.clear();
    expect_text(nearest_text("gpu.model=h100", machine), "none");
}
END_TEST

START_TEST(the_memory_of_gpus_that_workers_share_and_their_abilities_are_cut_down)
{
    Allocation workers;
    workers.tasks = 2 * static_cast<unsigned>(two_sockets().gpus.size());
    expect_text(nearest_text("gpu.memory=70GiB", two_sockets(), workers), "gpu.memory=40GiB");
    expect_text(nearest_text("gpu.needs=[fp8,quantum]", two_sockets()), "gpu.needs=fp8");
}
END_TEST

START_TEST(several_faults_are_cured_together)
{
    const std::string text =
        "gpu.model=b300,gpu.sm=500,role.a.cores=99,role.a.hugepages=2MiB*9999,rdma.port=mlx5_9:1";
    const hal::Machine machine = two_sockets();
    const Site site;
    const Contract asked = contract_of(text);
    const auto nearest = nearest_contract(asked, {machine, site, {}});
    ck_assert(nearest.has_value());
    ck_assert_uint_eq(changed_clauses(asked, *nearest).size(), 5);
}
END_TEST

START_TEST(a_search_without_time_finds_nothing_and_says_so)
{
    const hal::Machine machine = two_sockets();
    const Site site;
    const Contract asked = contract_of("role.loader.cores=600");
    const Question question{machine, site, {}};
    const Nearest none = nearest_contract_within(std::chrono::seconds(0), asked, question);
    ck_assert(!none.contract && none.cut_short);
    const Nearest found = nearest_contract_within(std::chrono::hours(1), asked, question);
    ck_assert(found.contract == nearest_contract(asked, question) && !found.cut_short);
}
END_TEST

START_TEST(a_contract_without_a_nearest_is_no_matter_of_time)
{
    hal::Machine machine = two_sockets();
    machine.gpus.clear();
    const Site site;
    const Nearest none =
        nearest_contract_within(std::chrono::hours(1), contract_of("gpu.model=h100"), {machine, site, {}});
    ck_assert(!none.contract && !none.cut_short);
}
END_TEST

START_TEST(whatever_is_returned_is_honoured_by_the_same_verdict)
{
    const hal::Machine machine = two_sockets();
    const Site site;
    std::mt19937 random(7);
    for (int i = 0; i < 300; ++i) {
        const std::string text = random_contract(random);
        if (text.empty()) continue;
        const auto tasks = static_cast<unsigned>(1 + random() % 3);
        expect_right(contract_of(text),
                     {machine, site, {.cpus = {}, .tasks = tasks, .gpus = {}, .sm_slices = {}}});
    }
}
END_TEST

START_TEST(what_the_nearest_changes_adds_and_drops_is_told)
{
    const Contract asked = contract_of("role.x.cores=4,rdma.port=near gpu,gpu.sm=8");
    expect_text(describe_changes(asked, contract_of("contract.strict=no,role.x.cores=1,gpu.sm=8")),
                "nearest changes role.x.cores 4 -> 1, adds contract.strict=no, drops rdma.port");
    expect_text(describe_changes(asked, asked), "");
}
END_TEST

START_TEST(a_word_is_quoted_only_where_a_shell_would_change_it)
{
    expect_text(quote_word("role.a.cores=1,gpu.share=1/2"), "role.a.cores=1,gpu.share=1/2");
    expect_text(quote_word("rdma.port=near gpu"), "'rdma.port=near gpu'");
    expect_text(quote_word("role.a.cores=[2-3]"), "'role.a.cores=[2-3]'");
    expect_text(quote_word("2MiB*8"), "'2MiB*8'");
    expect_text(quote_word("it's"), "'it'\\''s'");
}
END_TEST

Suite* nearest_suite()
{
    return make_suite(
        "nearest", only_the_broken_clause_changes, pages_that_fit_are_found, a_wrong_node_becomes_a_relation,
        a_split_core_is_made_whole, an_unknown_place_is_cured_by_a_lenient_contract,
        a_clause_is_dropped_only_when_nothing_else_helps, what_has_lost_its_clause_is_dropped_with_it,
        a_contract_of_which_nothing_is_left_has_no_nearest,
        the_memory_of_gpus_that_workers_share_and_their_abilities_are_cut_down,
        several_faults_are_cured_together, a_search_without_time_finds_nothing_and_says_so,
        a_contract_without_a_nearest_is_no_matter_of_time,
        what_the_nearest_changes_adds_and_drops_is_told,
        a_word_is_quoted_only_where_a_shell_would_change_it,
        whatever_is_returned_is_honoured_by_the_same_verdict);
}
