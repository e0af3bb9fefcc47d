#include "daemon/failure/neighbours.hpp"

#include <algorithm>

#include "tests/unit/failure/suites.hpp"

using namespace mscale::daemon;

namespace {

using Names = std::vector<std::string>;

Names number_nodes(std::size_t count)
{
    Names nodes;
    for (std::size_t i = 0; i < count; ++i) nodes.push_back("n" + std::to_string(i));
    return nodes;
}

} // namespace

START_TEST(up_to_nine_nodes_all_listen_to_each_other)
{
    for (std::size_t count = 1; count <= 9; ++count) {
        const Names nodes = number_nodes(count);
        for (const std::string& node : nodes) {
            Names others = nodes;
            std::erase(others, node);
            ck_assert(list_listeners(nodes, node) == others && list_watched(nodes, node) == others);
        }
    }
}
END_TEST

START_TEST(of_more_nodes_four_on_each_side_and_the_first_listen)
{
    const Names nodes = number_nodes(20);
    ck_assert(list_listeners(nodes, "n10") ==
              Names({"n0", "n6", "n7", "n8", "n9", "n11", "n12", "n13", "n14"}));
    ck_assert(list_listeners(nodes, "n19") == Names({"n0", "n1", "n2", "n3", "n15", "n16", "n17", "n18"}));
    ck_assert(list_watched(nodes, "n10") == Names({"n6", "n7", "n8", "n9", "n11", "n12", "n13", "n14"}));
    ck_assert_uint_eq(list_watched(nodes, "n0").size(), 19);
}
END_TEST

START_TEST(who_listens_watches)
{
    const Names nodes = number_nodes(31);
    for (const std::string& node : nodes)
        for (const std::string& other : nodes) {
            const Names listeners = list_listeners(nodes, node), watched = list_watched(nodes, other);
            ck_assert_int_eq(std::ranges::count(listeners, other), std::ranges::count(watched, node));
        }
}
END_TEST

START_TEST(a_stranger_has_no_listeners)
{
    ck_assert(list_listeners(number_nodes(3), "x").empty() && list_watched(number_nodes(3), "x").empty());
    ck_assert(list_listeners({}, "x").empty() && list_listeners({"a"}, "a").empty());
}
END_TEST

Suite* neighbours_suite()
{
    return make_suite("neighbours", up_to_nine_nodes_all_listen_to_each_other,
                      of_more_nodes_four_on_each_side_and_the_first_listen, who_listens_watches,
                      a_stranger_has_no_listeners);
}
