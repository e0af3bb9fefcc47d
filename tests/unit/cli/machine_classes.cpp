// Which nodes are of which class after one was written.
#include "cli/machine_classes.hpp"

#include "tests/unit/check.hpp"
#include "tests/unit/cli/suites.hpp"

using namespace mscale;
using namespace mscale::cli;

namespace {

using Names = std::vector<std::string>;

hal::MachineClass make_class(const char* name, Names nodes, std::uint64_t memory)
{
    hal::MachineClass made{name, std::move(nodes), {}, 0};
    made.machine.numa.resize(1);
    made.machine.numa[0].memory_bytes = memory;
    return made;
}

const hal::Inventory known{{make_class("big", {"n1", "n2"}, 1 << 30), make_class("small", {"n3"}, 1 << 20)}, {}};

} // namespace

START_TEST(a_node_of_a_known_machine_joins_its_class)
{
    const PlacedClass done = place_class(make_class("n4", {"n4", "n1"}, 1 << 30), known, false, false);
    ck_assert(done.placed.name == "big" && done.placed.nodes == Names({"n1", "n2", "n4"}));
    ck_assert(done.shrunk.empty() && done.emptied.empty());
}
END_TEST

START_TEST(a_class_takes_its_nodes_away_from_the_others)
{
    const PlacedClass done = place_class(make_class("huge", {"n2", "n3"}, 1 << 30), known, true, true);
    ck_assert(done.placed.name == "huge" && done.placed.nodes == Names({"n2", "n3"}));
    ck_assert(done.shrunk.size() == 1 && done.shrunk[0].name == "big" && done.shrunk[0].nodes == Names({"n1"}));
    ck_assert(done.emptied == Names({"small"}));
}
END_TEST

START_TEST(a_class_that_is_named_with_its_nodes_has_these_alone)
{
    ck_assert(place_class(make_class("big", {"n2", "n2"}, 1 << 30), known, true, true).placed.nodes == Names({"n2"}));
    const Names all = place_class(make_class("big", {"n5"}, 1 << 30), known, true, false).placed.nodes;
    ck_assert(all == Names({"n1", "n2", "n5"}));
}
END_TEST

Suite* machine_classes_suite()
{
    Suite* suite = suite_create("machine_classes");
    TCase* tests = tcase_create("machine_classes");
    tcase_add_test(tests, a_node_of_a_known_machine_joins_its_class);
    tcase_add_test(tests, a_class_takes_its_nodes_away_from_the_others);
    tcase_add_test(tests, a_class_that_is_named_with_its_nodes_has_these_alone);
    suite_add_tcase(suite, tests);
    return suite;
}
