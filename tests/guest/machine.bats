#!/usr/bin/env bats
# What mscale sees of a machine with two sockets, a drive on each, and RDMA.

load guest

setup_file() {
    require_guest
    read_machine
}

@test "the cores of two sockets lie in two NUMA nodes, whose distances are the machine's" {
    [ "$(machine '[.cores[] | [.package, .numa]]')" = '[[0,0],[0,0],[1,1],[1,1]]' ]
    [ "$(machine '[.numa[] | [.id, .cpus, .distances]]')" = '[[0,"0-1",[10,21]],[1,"2-3",[21,10]]]' ]
}

@test "each NUMA node has an NVMe drive on a root complex of its own" {
    [ "$(machine '[.disks[] | select(.kind == "nvme") | [.serial, .locality.numa]] | sort')" = '[["GUEST0",0],["GUEST1",1]]' ]
    [ "$(machine '[.disks[] | select(.kind == "nvme") | .locality.pci_root] | unique | length')" -eq 2 ]
    [ "$(machine '[.disks[] | select(.kind == "nvme") | .locality.cpus] | sort')" = '["0-1","2-3"]' ]
}

@test "a drive has a hardware queue for each processor" {
    [ "$(machine '[.disks[] | select(.kind == "nvme") | .queues | length]')" = '[4,4]' ]
    [ "$(machine '[.disks[] | select(.serial == "GUEST1") | .queues[].cpus] | sort')" = '["0","1","2","3"]' ]
}

@test "both ports of soft RoCE are seen, active, with their addresses and no place that nobody told" {
    [ "$(machine '[.ports[] | [.device, .port, .link_layer, .state]]')" = \
        '[["rxe0",1,"Ethernet","ACTIVE"],["rxe1",1,"Ethernet","ACTIVE"]]' ]
    [ "$(machine '[.ports[] | .gids[] | select(.address | endswith("0a4d:0001"))] | length')" -eq 1 ]
    [ "$(machine '[.ports[].locality.numa]')" = '[null,null]' ]
}

@test "the drawing puts each drive beside the cores of its node" {
    run "$build/mscale" topology
    [ "$status" -eq 0 ]
    expect "$output" "*NVMe*NVMe*rxe0*rxe1*"
}

@test "a role near a NUMA node is given the drive of that node" {
    for node in 0 1; do
        run "$build/mscale" plan "role.loader.cores=1,role.loader.near=numa:$node,role.loader.disk=nvme"
        [ "$status" -eq 0 ]
        expect "$output" "*$(machine ".disks[] | select(.serial == \"GUEST$node\") | .name" | tr -d '"')*"
    done
}

@test "a port that the machine has is honoured, and one that it hasn't is refused by name" {
    "$build/mscale" check rdma.port=rxe1:1
    run "$build/mscale" check rdma.port=mlx5_0:1
    [ "$status" -eq 1 ]
    expect "$output" "*mlx5_0*"
}
