#!/usr/bin/env bats
# Huge pages on a machine with two NUMA nodes: mscale-node sets them up on the node that the contract names.

load ../cli/node
load guest

setup_file() {
    require_guest
    start_node
}
teardown_file() { stop_node; }
setup() {
    before=$(<"$pool")
    near_0="role.first.cores=1,role.first.near=numa:0,role.first.hugepages=2MiB*8"
    near_1="role.second.cores=1,role.second.near=numa:1,role.second.hugepages=2MiB*16"
}
teardown() {
    node reconcile --live 0
    [ "$(pages_of 1)" -eq 0 ]
    expect_clean "$before"
}

@test "pages of a role near the second node are set up there, in a mount of the job, and given back" {
    apply 7 "$(seal "$near_1")"
    [ "$(record 7 .stage)" = applied ]
    [ "$(pages_of 0) $(pages_of 1)" = "0 16" ]
    [ "$(record 7 '.plan.pages[0].numa')" -eq 1 ]
    [ "$(mounts | wc -l)" -eq 1 ]
    node release --job 7
    [ "$(pages_of 0) $(pages_of 1)" = "0 0" ]
}

@test "a contract with roles near both nodes gets pages on both" {
    apply 7 "$(seal "$near_0,$near_1")"
    [ "$(record 7 .stage)" = applied ]
    [ "$(pages_of 0) $(pages_of 1)" = "8 16" ]
    node release --job 7
    [ "$(pages_of 0) $(pages_of 1)" = "0 0" ]
}

@test "two jobs hold pages on one node each, and the end of one leaves the other's" {
    apply 7 "$(seal "$near_0")"
    apply 8 "$(seal "$near_1")"
    node release --job 7
    [ "$(pages_of 0) $(pages_of 1)" = "0 16" ]
    node release --job 8
}

@test "more pages than a node has memory for are refused, though the other node has it" {
    apply 7 "$(seal "role.second.cores=1,role.second.near=numa:1,role.second.hugepages=2MiB*1200")"
    [ "$(record 7 .stage)" = refused ]
    [ "$(record 7 '.refusals[0].code')" = MSC-V013 ]
    [ "$(pages_of 0) $(pages_of 1)" = "0 0" ]
}
