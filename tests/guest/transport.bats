#!/usr/bin/env bats
# Snapshots by RDMA: the suite that they pass over TCP on every machine (tests/unit/transport), over soft RoCE.

bats_require_minimum_version 1.5.0
load guest

setup_file() { require_guest; }

@test "the transport's whole suite passes by RDMA, and slots on huge pages are filled" {
    echo 40 >/proc/sys/vm/nr_hugepages
    run --separate-stderr "$build/tests/unit/transport/unit_transport" verbs
    echo "$output"
    echo "$stderr"
    echo 0 >/proc/sys/vm/nr_hugepages
    [ "$status" -eq 0 ]
    expect "$output" "*100%: Checks: *, Failures: 0, Errors: 0*"
}

@test "nothing of a connection is left when its keepers are gone" {
    rdma resource show
    [ "$(rdma resource show | grep -c ' cm_id 0 mr 0 ctx 0 ')" -eq 2 ]
}
