#include <algorithm>
#include <random>

#include "base/text.hpp"
#include "contract/conflicts.hpp"
#include "contract/given.hpp"
#include "tests/unit/verdict/machines.hpp"
#include "tests/unit/verdict/suites.hpp"

using namespace mscale;
using namespace mscale::contract;

namespace {

using Values = std::vector<std::string>;

/// What a clause may ask for in the drawn contracts, and what the reference puts in its place.
struct Row {
    std::string clause;
    Values asked, others;
};

const std::vector<Row>& rows()
{
    static const std::vector<Row> all = {
        {"contract.strict", {}, {"no"}},
        {"contract.workers", {"2", "3", "5"}, {"1", "2", "3", "4"}},
        {"gpu.model", {"h100", "b300"}, {"h100"}},
        {"gpu.sm", {"8", "100", "400"}, {"8", "16", "32", "40", "64", "128", "132"}},
        {"gpu.memory", {"10GiB", "70GiB"}, {"1GiB", "10GiB", "16GiB", "26GiB", "40GiB", "80GiB"}},
        {"gpu.share", {"1/2", "3/4", "50%"}, {"whole", "1/2", "1/3", "1/4", "1/5", "1/8", "33%", "20%", "1%"}},
        {"gpu.fault_domain", {"private"}, {"shared"}},
        {"role.a.cores", {"1", "3", "8", "9", "[0-1]"}, {"1", "2", "3", "4", "5", "7", "8", "[0,8]"}},
        {"role.a.near", {"gpu", "disk", "numa:1"}, {"gpu", "nic", "disk", "numa:0", "numa:1"}},
        {"role.a.disk", {"nvme", "nvme1n1", "nvme8n1"}, {"nvme", "any", "nvme0n1", "nvme1n1"}},
        {"role.a.io_depth", {"64", "500"}, {"1", "64", "128"}},
        {"role.a.gpu", {"0", "1"}, {"0", "1"}},
        {"role.b.cores", {"1", "4", "8"}, {"1", "2", "3", "4", "5", "7", "8"}},
        {"role.b.near", {"gpu", "disk"}, {"gpu", "nic", "disk", "numa:0", "numa:1"}},
        {"role.b.hugepages", {"2MiB*600", "2MiB*5000"}, {"2MiB*1", "2MiB*200", "2MiB*500", "2MiB*1000"}},
    };
    return all;
}

bool is_honoured(const Contract& contract, const Question& question)
{
    return find_conflicts(contract).empty() && verify(contract, question).honoured();
}

/// Whether a contract with exactly so many clauses changed or added, and so many dropped, is honoured: tries all there are.
bool any_within(const Contract& contract, const Question& question, std::size_t row, unsigned changes, unsigned drops)
{
    if (changes == 0 && drops == 0) return is_honoured(contract, question);
    if (row == rows().size()) return false;
    const Row& each = rows()[row];
    if (any_within(contract, question, row + 1, changes, drops)) return true;
    const bool given = !value_of(contract, each.clause).empty();
    if (drops > 0 && given && any_within(*with_clause(contract, each.clause, std::nullopt), question, row + 1, changes, drops - 1))
        return true;
    const bool may_be_added = each.clause == "contract.strict" || each.clause.ends_with(".disk");
    return changes > 0 && (given || may_be_added) && std::ranges::any_of(each.others, [&](const std::string& value) {
               return any_within(*with_clause(contract, each.clause, value), question, row + 1, changes - 1, drops);
           });
}

struct Cost {
    unsigned all = 0, drops = 0;
};

Cost least_cost(const Contract& contract, const Question& question)
{
    for (unsigned all = 0;; ++all)
        for (unsigned drops = 0; drops <= all; ++drops)
            if (any_within(contract, question, 0, all - drops, drops)) return {all, drops};
}

Cost cost_of(const Contract& asked, const Contract& nearest)
{
    Cost cost;
    for (const Row& row : rows()) {
        const std::string before = value_of(asked, row.clause), after = value_of(nearest, row.clause);
        cost.all += before != after;
        cost.drops += !before.empty() && after.empty();
    }
    return cost;
}

/// Where nothing of the contract can be kept, there is none to compare.
void expect_least(const Contract& asked, const Question& question)
{
    const auto nearest = nearest_contract(asked, question);
    if (!nearest) return;
    const Cost best = least_cost(asked, question), cost = cost_of(asked, *nearest);
    ck_assert_msg(cost.all <= best.all && (cost.all < best.all || cost.drops <= best.drops),
                  "%s with %u tasks -> %s: %u changed, %u of them dropped, and %u and %u would do", to_canonical(asked).c_str(),
                  question.allocation.tasks, to_canonical(*nearest).c_str(), cost.all, cost.drops, best.all, best.drops);
}

std::string draw_contract(std::mt19937& random)
{
    Values clauses;
    for (const Row& row : rows())
        if (!row.asked.empty() && random() % 4 == 0)
            clauses.push_back(format("{}={}", row.clause, row.asked[random() % row.asked.size()]));
    if (clauses.size() > 4) clauses.resize(4);
    return join(clauses, ",");
}

/// Two sockets, of which each drawing lacks something.
hal::Machine draw_machine(std::mt19937& random)
{
    hal::Machine machine = two_sockets();
    switch (random() % 7) {
    case 0: machine.disks.clear(); break;
    case 1: machine.gpus.pop_back(); break;
    case 2: for (hal::Disk& disk : machine.disks) disk.locality = {}; break;
    case 3: for (hal::Disk& disk : machine.disks) disk.nr_requests = 0; break;
    case 4: for (hal::Disk& disk : machine.disks) disk.zoned = true; break;
    case 5: for (hal::Gpu& gpu : machine.gpus) gpu.locality = {}; break;
    default: break;
    }
    return machine;
}

std::string least_text(const std::string& text, const hal::Machine& machine, unsigned tasks = 1)
{
    const Site site;
    const auto nearest = nearest_contract(contract_of(text), {machine, site, {.cpus = {}, .tasks = tasks, .gpus = {}, .sm_slices = {}}});
    return nearest ? to_canonical(*nearest) : "none";
}

} // namespace

START_TEST(an_unknown_depth_is_cured_by_a_lenient_contract)
{
    hal::Machine machine = two_sockets();
    for (hal::Disk& disk : machine.disks) disk.nr_requests = 0;
    expect_text(least_text("role.a.disk=nvme,role.a.io_depth=64", machine),
                "contract.strict=no,role.a.disk=nvme,role.a.io_depth=64");
}
END_TEST

START_TEST(memory_that_fills_a_gpu_is_cut_down_beside_its_sms)
{
    expect_text(least_text("gpu.sm=8,gpu.memory=70GiB", two_sockets(), 4), "gpu.sm=8,gpu.memory=40GiB");
    expect_text(least_text("gpu.sm=100,gpu.memory=70GiB", two_sockets(), 4), "gpu.sm=64,gpu.memory=40GiB");
}
END_TEST

START_TEST(a_role_near_a_disk_that_is_had_by_name_alone_gets_the_name)
{
    hal::Machine machine = two_sockets();
    for (hal::Disk& disk : machine.disks) disk.zoned = true;
    expect_text(least_text("role.a.near=disk,role.a.io_depth=64", machine),
                "role.a.near=disk,role.a.disk=nvme0n1,role.a.io_depth=64");
    expect_text(least_text("role.a.disk=nvme,role.a.io_depth=64", machine), "role.a.disk=nvme0n1,role.a.io_depth=64");
}
END_TEST

START_TEST(a_share_becomes_the_greatest_of_which_all_workers_have_one)
{
    expect_text(least_text("gpu.share=1/2", two_sockets(), 6), "gpu.share=1/4");
    expect_text(least_text("gpu.share=1/2", two_sockets(), 16), "gpu.share=1/9");
    expect_text(least_text("gpu.share=50%", two_sockets(), 6), "gpu.share=30%");
}
END_TEST

START_TEST(a_role_gives_way_to_another_that_can_ask_for_no_less)
{
    expect_text(least_text("role.a.cores=8,role.b.cores=1", two_sockets()), "role.a.cores=7,role.b.cores=1");
    expect_text(least_text("role.a.cores=9,role.b.cores=1", two_sockets()), "role.a.cores=7,role.b.cores=1");
}
END_TEST

START_TEST(no_contract_changes_or_drops_more_than_the_best_of_all_that_there_are)
{
    std::mt19937 random(11);
    for (int i = 0; i < 200; ++i) {
        const Parsed asked = parse_contract(draw_contract(random), "test", NoProfiles());
        const hal::Machine machine = draw_machine(random);
        const auto tasks = static_cast<unsigned>(1 + random() % 4);
        Site site;
        if (random() % 4 == 0) site.cross_domain = CrossDomain::forbid;
        const Question question{machine, site, {.cpus = {}, .tasks = tasks, .gpus = {}, .sm_slices = {}}};
        if (asked.ok()) expect_least(asked.contract, question);
    }
}
END_TEST

Suite* nearest_least_suite()
{
    return make_suite("nearest_least", an_unknown_depth_is_cured_by_a_lenient_contract,
                      memory_that_fills_a_gpu_is_cut_down_beside_its_sms,
                      a_role_near_a_disk_that_is_had_by_name_alone_gets_the_name,
                      a_share_becomes_the_greatest_of_which_all_workers_have_one,
                      a_role_gives_way_to_another_that_can_ask_for_no_less,
                      no_contract_changes_or_drops_more_than_the_best_of_all_that_there_are);
}
