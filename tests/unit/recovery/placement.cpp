#include "recovery/placement.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "tests/unit/recovery/samples.hpp"
#include "tests/unit/recovery/suites.hpp"

using namespace mscale;
using namespace mscale::recovery;

namespace {

std::vector<KeeperPlace> random_keepers(Random& random)
{
    const std::uint64_t nodes = 1 + pick(random, 30), domains = 1 + pick(random, 8);
    std::vector<KeeperPlace> keepers;
    for (std::uint64_t i = 0; i < nodes; ++i) {
        const std::uint64_t domain = pick(random, domains);
        keepers.push_back({"n" + std::to_string(i), domain == 0 ? "" : "d" + std::to_string(domain)});
    }
    return keepers;
}

std::size_t largest_domain(const std::vector<KeeperPlace>& keepers)
{
    std::map<std::string, std::size_t> sizes;
    std::size_t largest = 0;
    for (const KeeperPlace& keeper : keepers)
        largest = std::max(largest, ++sizes[keeper.domain.empty() ? keeper.node : keeper.domain]);
    return largest;
}

void expect_balanced(const std::vector<KeeperPlace>& keepers, const Placement& placement, unsigned copies)
{
    std::map<std::string, unsigned> held;
    for (std::size_t i = 0; i < keepers.size(); ++i) {
        const std::set<std::string> nodes(placement[i].begin(), placement[i].end());
        ck_assert(placement[i].size() == copies && nodes.size() == copies &&
                  !nodes.contains(keepers[i].node));
        for (const std::string& node : nodes) ++held[node];
    }
    for (const KeeperPlace& keeper : keepers) ck_assert(held[keeper.node] == copies);
}

const std::string& domain_of(const KeeperPlace& keeper)
{
    return keeper.domain.empty() ? keeper.node : keeper.domain;
}

/// The domains that hold a node or a copy of it.
std::set<std::string> domains_holding(const std::vector<KeeperPlace>& keepers, const Placement& placement,
                                      std::size_t node)
{
    std::set<std::string> domains = {domain_of(keepers[node])};
    for (const KeeperPlace& keeper : keepers)
        if (std::ranges::find(placement[node], keeper.node) != placement[node].end())
            domains.insert(domain_of(keeper));
    return domains;
}

/// The domains whose loss alone would take a node and all copies of it.
std::vector<std::string> find_exposed_domains(const std::vector<KeeperPlace>& keepers,
                                              const Placement& placement)
{
    std::set<std::string> exposed;
    for (std::size_t i = 0; i < keepers.size(); ++i) {
        const auto domains = domains_holding(keepers, placement, i);
        if (domains.size() == 1) exposed.insert(*domains.begin());
    }
    return {exposed.begin(), exposed.end()};
}

/// The number of pairs of domains whose loss together would.
std::size_t count_exposed_pairs(const std::vector<KeeperPlace>& keepers, const Placement& placement)
{
    std::set<std::set<std::string>> pairs;
    for (std::size_t i = 0; i < keepers.size(); ++i) {
        auto domains = domains_holding(keepers, placement, i);
        if (domains.size() == 2) pairs.insert(std::move(domains));
    }
    return pairs.size();
}

} // namespace

START_TEST(any_placement_is_balanced_and_survives_the_loss_of_a_domain)
{
    Random random(6);
    int placed = 0;
    for (int i = 0; i < 3000; ++i) {
        const auto keepers = random_keepers(random);
        const auto copies = static_cast<unsigned>(1 + pick(random, 3));
        const auto placement = place_copies(keepers, copies);
        const bool possible = copies < keepers.size() && 2 * largest_domain(keepers) <= keepers.size();
        ck_assert(placement.has_value() == possible);
        if (!placement) continue;
        ++placed;
        expect_balanced(keepers, *placement, copies);
        ck_assert(find_exposed_domains(keepers, *placement).empty());
        if ((copies + 1) * largest_domain(keepers) <= keepers.size() && copies > 1)
            ck_assert(count_exposed_pairs(keepers, *placement) == 0);
    }
    ck_assert(placed > 1000);
}
END_TEST

START_TEST(nodes_without_a_topology_form_a_ring)
{
    const auto placement = place_copies({{"c", ""}, {"a", ""}, {"b", ""}}, 1).value();
    ck_assert(placement == Placement({{"a"}, {"b"}, {"c"}}));
}
END_TEST

START_TEST(the_same_nodes_in_another_order_get_the_same_partners)
{
    std::vector<KeeperPlace> keepers = {{"a", "x"}, {"b", "y"}, {"c", "x"}, {"d", "y"}, {"e", "z"}};
    const auto before = place_copies(keepers, 2).value();
    std::ranges::reverse(keepers);
    const auto after = place_copies(keepers, 2).value();
    for (std::size_t i = 0; i < keepers.size(); ++i) ck_assert(before[i] == after[keepers.size() - 1 - i]);
}
END_TEST

START_TEST(two_nodes_hold_each_other)
{
    ck_assert(place_copies({{"a", ""}, {"b", ""}}, 1).value() == Placement({{"b"}, {"a"}}));
}
END_TEST

START_TEST(what_cannot_be_kept_apart_is_refused_with_numbers)
{
    const auto one = place_copies({{"a", ""}}, 1);
    ck_assert(!one && one.error().code == Code::no_partner);
    expect_text(place_copies({{"a", "x"}, {"b", "x"}, {"c", "y"}}, 1).error().text,
                "1 copies on 3 nodes, of which one failure domain holds 2");
    ck_assert(!place_copies({}, 1) && !place_copies({{"a", ""}, {"b", ""}}, 2));
    ck_assert(!place_copies({{"a", ""}, {"b", ""}}, 4294967295u));
    ck_assert(place_copies({{"a", "x"}, {"b", "x"}}, 0).value() == Placement(2));
}
END_TEST

START_TEST(the_checker_sees_what_is_exposed)
{
    const std::vector<KeeperPlace> keepers = {{"a", "x"}, {"b", "x"}, {"c", "y"}, {"d", "y"}};
    const Placement wrong = {{"b"}, {"c"}, {"b"}, {"a"}};
    ck_assert(find_exposed_domains(keepers, wrong) == std::vector<std::string>{"x"});
    ck_assert(find_exposed_domains(keepers, Placement(4)) == std::vector<std::string>({"x", "y"}));
    ck_assert_uint_eq(count_exposed_pairs(keepers, place_copies(keepers, 1).value()), 1);
}
END_TEST

START_TEST(where_one_domain_is_too_large_as_few_nodes_as_possible_are_exposed)
{
    Random random(7);
    int spread = 0;
    for (int i = 0; i < 3000; ++i) {
        const auto keepers = random_keepers(random);
        const auto placement = spread_copies(keepers, 1);
        ck_assert(placement.has_value() == (keepers.size() > 1));
        if (!placement) continue;
        expect_balanced(keepers, *placement, 1);
        std::size_t exposed = 0;
        for (std::size_t node = 0; node < keepers.size(); ++node) exposed += find_exposure(keepers, *placement, node).empty() ? 0 : 1;
        // Each node outside the domain holds the copy of one inside it.
        const std::size_t largest = largest_domain(keepers), outside = keepers.size() - largest;
        ck_assert_uint_eq(exposed, largest > outside ? largest - outside : 0);
        spread += exposed > 0 ? 1 : 0;
    }
    ck_assert(spread > 100);
}
END_TEST

START_TEST(a_nodes_exposure_is_the_domain_that_takes_it_and_all_its_copies)
{
    const std::vector<KeeperPlace> keepers = {{"a", "x"}, {"b", "x"}, {"c", "y"}, {"d", ""}};
    const Placement placement = {{"b"}, {"a", "c"}, {}, {"a"}};
    ck_assert(find_exposure(keepers, placement, 0) == "x" && find_exposure(keepers, placement, 1).empty());
    ck_assert(find_exposure(keepers, placement, 2).empty() && find_exposure(keepers, placement, 3).empty());
}
END_TEST

Suite* placement_suite()
{
    return make_suite("placement", any_placement_is_balanced_and_survives_the_loss_of_a_domain,
                      nodes_without_a_topology_form_a_ring,
                      the_same_nodes_in_another_order_get_the_same_partners, two_nodes_hold_each_other,
                      what_cannot_be_kept_apart_is_refused_with_numbers, the_checker_sees_what_is_exposed,
                      where_one_domain_is_too_large_as_few_nodes_as_possible_are_exposed,
                      a_nodes_exposure_is_the_domain_that_takes_it_and_all_its_copies);
}
