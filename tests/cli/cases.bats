#!/usr/bin/env bats
# Cases from public reports through the command, on the machine models (tests/fixtures/cases); unit tests hold the rest
# (tests/fixtures/cases_map.tsv).
load common

setup() { use_shipped_profiles; }

check_on() { run mscale check --root "$(model "$1")" "$2"; }

@test "A01: a loader on another NUMA node than its GPU is refused with the GPU's CPUs" {
    check_on dgx-a100-nps4 role.loader.gpu=0,role.loader.cores=2,role.loader.near=numa:0
    [ "$status" -eq 1 ]
    expect "$output" "*MSC-V019*NUMA node 3 (CPUs 48-63,176-191)*"
}

@test "A02: each worker gets a rail of its own, by switch and not by number" {
    check_on hgx-h100-2s contract.workers=8,rdma.port=near\ gpu
    [ "$status" -eq 0 ]
    run mscale plan --json --root "$(model hgx-h100-2s)" contract.workers=8,rdma.port=near\ gpu
    expect "$(python3 -c 'import json, sys; p = json.load(sys.stdin); p = p.get("plan", p)["ports"]; print(len(set(p)), p[3])' <<<"$output")" "8 mlx5_5:1"
}

@test "A03: an unknown place is refused by that word, and never called node 0" {
    check_on kvm-flat-numa-1 role.loader.cores=1,role.loader.near=gpu
    [ "$status" -eq 1 ]
    expect "$output" "*unknown*"
    [[ "$output" != *"NUMA node 0"* ]]
}

@test "A04: GPU memory without CPUs is no place for a loader" {
    check_on gh200-4x role.loader.cores=1,role.loader.near=numa:4
    [ "$status" -eq 1 ]
    expect "$output" "*MSC-V006*no CPUs: it is the memory of a device*"
}

@test "A11: a rail is active by its own state, whatever its network device says" {
    check_on hgx-h100-2s rdma.port=mlx5_5:1
    [ "$status" -eq 0 ]
}

@test "B06: a count is cores, and the refusal says cores and CPUs" {
    run mscale check --cpus 0-1,112-113 --root "$(model hgx-h100-2s)" role.loader.cores=4
    [ "$status" -eq 1 ]
    expect "$output" "*2 cores (4 CPUs: 0-1,112-113)*"
}

@test "B06: the same cores are enough for a contract of two" {
    run mscale check --cpus 0-1,112-113 --root "$(model hgx-h100-2s)" role.loader.cores=2
    [ "$status" -eq 0 ]
}

@test "D01 to D04: a PCI address is hexadecimal in any case, and the old dot form is a fault" {
    check_on hgx-h100-2s role.loader.gpu=00000000:1B:00.0
    [[ "$output" != *MSC-P* ]]
    check_on hgx-h100-2s role.loader.gpu=0000:1b.00.0
    [ "$status" -eq 2 ]
    expect "$output" "*MSC-P008*"
}

@test "D06, D07, D10: a broken CPU list is a fault with its place" {
    for list in 1--3 10-6 1,2abc,3 0-; do
        check_on hgx-h100-2s "role.loader.cores=[$list]"
        [ "$status" -eq 2 ]
        expect "$output" "*MSC-P007*^*"
    done
}

@test "E09: a rail that polls is refused with both its states" {
    local tree port
    tree=$BATS_TEST_TMPDIR/tree
    cp -a "$(model hgx-h100-2s)" "$tree"
    port=$tree/sys/class/infiniband/mlx5_5/ports/1
    echo "1: DOWN" >"$port/state"
    echo "2: Polling" >"$port/phys_state"
    echo "10 Gb/sec (4X SDR)" >"$port/rate"
    run mscale check --root "$tree" rdma.port=mlx5_5:1
    [ "$status" -eq 1 ]
    expect "$output" "*MSC-V018*DOWN*Polling*10 Gb/s*"
}
