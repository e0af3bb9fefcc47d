#include "daemon/mscaled/slurm_domains.hpp"

#include "tests/unit/daemon/suites.hpp"

using namespace mscale::daemon;

START_TEST(the_leaf_switch_of_a_node_is_its_domain)
{
    const DomainTable domains = read_topology("SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[1-2] \n"
                                              "SwitchName=s2 Level=0 LinkSpeed=1 Nodes=n3,m4\n"
                                              "SwitchName=top Level=1 LinkSpeed=1 Nodes=m4,n[1-3] Switches=s[1-2] \n");
    ck_assert(domains == DomainTable({{"n1", "s1"}, {"n2", "s1"}, {"n3", "s2"}, {"m4", "s2"}}));
}
END_TEST

START_TEST(a_block_is_a_domain_and_what_is_none_is_not)
{
    ck_assert(read_topology("BlockName=b1 BlockIndex=0 Nodes=n[1-2] BlockSize=2\n") ==
              DomainTable({{"n1", "b1"}, {"n2", "b1"}}));
    ck_assert(read_topology("No topology information available").empty() && read_topology("").empty());
    ck_assert(read_topology("SwitchName=s1 Level=0\nSwitchName=s2 Level=0 Nodes=\n").empty());
}
END_TEST

START_TEST(a_node_below_two_leaf_switches_is_alone)
{
    ck_assert(read_topology("SwitchName=s1 Level=0 Nodes=n[1-2]\nSwitchName=s2 Level=0 Nodes=n[2-3]\n") ==
              DomainTable({{"n1", "s1"}, {"n3", "s2"}}));
}
END_TEST

START_TEST(a_site_may_list_its_domains_itself)
{
    ck_assert(read_domain_list("rack1=n[1-2],m7  rack2=n3") ==
              DomainTable({{"n1", "rack1"}, {"n2", "rack1"}, {"m7", "rack1"}, {"n3", "rack2"}}));
    ck_assert(load_domains("r=n1").value() == DomainTable({{"n1", "r"}}) && load_domains("node").value().empty());
}
END_TEST

Suite* slurm_domains_suite()
{
    return make_suite("slurm_domains", the_leaf_switch_of_a_node_is_its_domain, a_block_is_a_domain_and_what_is_none_is_not,
                      a_node_below_two_leaf_switches_is_alone, a_site_may_list_its_domains_itself);
}
