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

# The HGX model as JSON: ports and their states of the tree, bridges and PCI roots of the XML, which shows the hierarchy.
# Lines of Python may change `machine` first: hgx_with LINES
hgx_with() {
    mscale topology --json --root "$(model hgx-h100-2s)" >"$BATS_TEST_TMPDIR/tree.json"
    mscale topology --json --machine "$cases/topo/hgx-h100-2s.xml" >"$BATS_TEST_TMPDIR/xml.json"
    python3 - "$BATS_TEST_TMPDIR"/{tree,xml}.json <<PYTHON
import json, sys
machine, xml = (json.load(open(name)) for name in sys.argv[1:])
for kind in "gpus", "ports":
    places = {device["pci"]: device["locality"] for device in xml[kind]}
    for device in machine[kind]: device["locality"] = places[device["pci"]]
rails = {port["device"]: port for port in machine["ports"]}
gpus = machine["gpus"]
$1
print(json.dumps(machine))
PYTHON
}
# The rails of a plan in the order of the workers; the plan is on stdin.
rails_of() { python3 -c 'import json, sys; p = json.load(sys.stdin); print(*p.get("plan", p)["ports"])'; }

@test "A02: each worker gets the rail behind its GPU's switch, whatever the numbers say" {
    local near=contract.workers=8,rdma.port=near\ gpu machine=$BATS_TEST_TMPDIR/machine.json rails
    rails="mlx5_0:1 mlx5_3:1 mlx5_4:1 mlx5_5:1 mlx5_6:1 mlx5_9:1 mlx5_10:1 mlx5_11:1"
    hgx_with "" >"$machine"
    run --separate-stderr mscale plan --json --machine "$machine" "$near"
    expect "$(rails_of <<<"$output")" "$rails"
    # The first two rails change places: by position nothing is different, by switch both pairs are.
    hgx_with 'a, b = rails["mlx5_0"], rails["mlx5_3"]; a["locality"], b["locality"] = b["locality"], a["locality"]' >"$machine"
    run --separate-stderr mscale plan --json --machine "$machine" "$near"
    expect "$(rails_of <<<"$output")" "mlx5_3:1 mlx5_0:1 ${rails#mlx5_0:1 mlx5_3:1 }"
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

@test "A13: NUMA cells that cut through the siblings of a core refuse a strict contract and are told a lenient one" {
    local tree=$BATS_TEST_TMPDIR/tree nodes
    nodes=$tree/sys/devices/system/node
    cp -a "$(model hgx-h100-2s)" "$tree"
    echo 0-55,113-168 >"$nodes/node0/cpulist"
    echo 56-112,169-223 >"$nodes/node1/cpulist"
    run mscale check --root "$tree" role.loader.cores=1
    [ "$status" -eq 1 ]
    expect "$output" "*MSC-V023 *the SMT siblings 0,112 of one core lie in two NUMA nodes*"
    [[ $output != *"invalid information"* ]] # hwloc's own words; it would drop objects of such a machine
    run mscale check --root "$tree" role.loader.cores=1,contract.strict=no
    [ "$status" -eq 0 ]
    expect "$output" "*warning*0,112*"
}

@test "B11: Slurm's numbers are positions of cores, where the kernel numbers the CPUs of both sockets in turn" {
    local machine=$BATS_TEST_TMPDIR/machine.json
    hgx_with '
sides = [",".join(str(cpu) for cpu in range(side, 224, 2)) for side in (0, 1)]
for place, core in enumerate(machine["cores"]):
    first = 2 * (place % 56) + place // 56
    core["cpus"] = f"{first},{first + 112}"
for node, cpus in zip(machine["numa"], sides): node["cpus"] = cpus
for gpu in gpus: gpu["locality"]["cpus"] = sides[gpu["locality"]["numa"]]' >"$machine"
    run --separate-stderr mscale inventory --gres-conf --machine "$machine"
    [ "$status" -eq 0 ]
    expect "$output" "*File=/dev/nvidia0 Cores=0-55"$'\n'"*File=/dev/nvidia4 Cores=56-111"$'\n'"*"
    run --separate-stderr mscale plan --json --machine "$machine" role.loader.gpu=4,role.loader.cores=1,role.loader.near=gpu
    expect "$(member "['plan']['workers'][0]['roles'][0]['cpus']" <<<"$output")" "1,113"
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

# A line of the case's file as a gres.conf of its own: gres_lines LETTER
gres_lines() {
    sed -n "s/^$1 //p" "$cases/slurm/gres_nps4.txt" >"$BATS_TEST_TMPDIR/gres.conf"
    echo "$BATS_TEST_TMPDIR/gres.conf"
}

@test "B01: the lines for gres.conf hold core numbers, and CPU numbers in one are explained" {
    run --separate-stderr mscale inventory --gres-conf --root "$(model dgx-a100-nps4)"
    [ "$status" -eq 0 ]
    expect "$output" "*File=/dev/nvidia0 Cores=48-63"$'\n'"*"
    [[ $output != *176* ]]
    run mscale inventory --root "$(model dgx-a100-nps4)" --check-gres "$(gres_lines A)"
    [ "$status" -eq 1 ]
    expect "$output" "*:1: Cores=48-63,176-191 holds CPU numbers*write Cores=48-63"
    run mscale inventory --root "$(model dgx-a100-nps4)" --check-gres "$(gres_lines B)"
    [ "$status" -eq 0 ]
    run mscale inventory --root "$(model dgx-a100-nps4)" --gres-conf
    grep -o "^NodeName=.*Name=gpu.*" <<<"$output" >"$BATS_TEST_TMPDIR/own.conf"
    mscale inventory --root "$(model dgx-a100-nps4)" --check-gres "$BATS_TEST_TMPDIR/own.conf"
}

@test "B02: AutoDetect across socket boundaries is told before a node becomes invalid" {
    run mscale inventory --root "$(model dgx-a100-nps4)" --check-gres "$(gres_lines C)"
    [ "$status" -eq 1 ]
    expect "$output" "*AutoDetect gives GPU 0 (0000:07:00.0) the cores 48-63*socket has 64 cores*socket boundaries*"
}

@test "B04: /dev/nvidia0 is the GPU with that minor, not the first that NVML counts" {
    local machine=$BATS_TEST_TMPDIR/machine.json
    # index, minor and address of the case's file, each GPU with a place of its own
    hgx_with '
rows = {0: (4, "0000:01:00.0", 0), 3: (1, "0000:41:00.0", 0), 6: (0, "0000:c1:00.0", 1)}
for gpu in gpus:
    minor, gpu["pci"], node = rows.get(gpu["index"], (gpu["index"] + 8, gpu["pci"], 0))
    gpu["minor"] = minor
    gpu["locality"] = dict(gpu["locality"], numa=node, cpus=["0-55,112-167", "56-111,168-223"][node])' >"$machine"
    run --separate-stderr mscale inventory --gres-conf --machine "$machine"
    expect "$output" "*File=/dev/nvidia0 Cores=56-111"$'\n'"*"
    expect "$output" "*File=/dev/nvidia4 Cores=0-55"$'\n'"*"
    run --separate-stderr mscale plan --json --machine "$machine" role.loader.gpu=0000:c1:00.0,role.loader.cores=1,role.loader.near=gpu
    [ "$status" -eq 0 ]
    expect "$(member "['plan']['workers'][0]['roles'][0]['gpu']" <<<"$output")" 6 # the number that NVML gives it
    expect "$(member "['plan']['workers'][0]['roles'][0]['cpus']" <<<"$output")" "56,168"
}

@test "D06, D07, D10: a broken CPU list is a fault with its place" {
    for list in 1--3 10-6 1,2abc,3 0-; do
        check_on hgx-h100-2s "role.loader.cores=[$list]"
        [ "$status" -eq 2 ]
        expect "$output" "*MSC-P007*^*"
    done
}

@test "D06: the fault of a CPU list is told with its byte" {
    check_on hgx-h100-2s "role.loader.cores=[1--3]"
    expect "$output" "*MSC-P007: CPU list '1--3', byte 3: the end of the range is missing*"
    check_on hgx-h100-2s "role.loader.cores=[0,10-6]"
    expect "$output" "*MSC-P007: CPU list '0,10-6', byte 3: the range 10-6 is reversed*"
}

@test "D13: both spellings of a page size are binary, and what is no page size is refused by its code" {
    run mscale plan --json --root "$(model hgx-h100-2s)" role.loader.cores=1,role.loader.hugepages=2048kB*4
    expect "$output" '*"page_bytes": 2097152*'
    check_on hgx-h100-2s role.loader.cores=1,role.loader.hugepages=2MB*4
    [ "$status" -eq 2 ]
    expect "$output" "*MSC-P006*write 2MiB*"
    check_on hgx-h100-2s role.loader.cores=1,role.loader.hugepages=3M*1
    [ "$status" -eq 1 ]
    expect "$output" "*MSC-V012 role.loader.hugepages=3MiB[*]1: the kernel's huge page sizes are: 2 MiB, 1 GiB*"
    check_on hgx-h100-2s rdma.pool=3M
    [ "$status" -eq 2 ]
    expect "$output" "*MSC-P006*SIZE[*]COUNT*"
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
