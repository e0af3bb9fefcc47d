#!/usr/bin/env bats
# mscale check: what is honoured, what is refused, and what people read then.
load common

setup() { use_shipped_profiles; }

@test "a contract that the machine can hold is honoured" {
    run mscale check --root "$(model hgx-h100-2s)" role.loader.cores=4,role.loader.near=numa:1
    [ "$status" -eq 0 ]
    expect "$output" "*honoured on*"
}

@test "a broken contract is refused with a caret under each fault" {
    run mscale check gpu.smm=8,role.loader.cores=[3-2],gpu.memory=20MB
    [ "$status" -eq 2 ]
    expect "$output" "*^~~~~~~*did you mean 'gpu.sm'?*"
    expect "$output" "*[[]3-2[]]*^~~~~*"
    expect "$output" "*write 20MiB*"
}

@test "faults of a contract go to stderr and leave stdout empty" {
    run --separate-stderr mscale check gpu.smm=8
    [ -z "$output" ]
    expect "$stderr" "*MSC-P002*"
}

@test "what can't be honoured is refused with the fact, and the nearest contract is honoured as it stands" {
    run mscale check --root "$(model hgx-h100-2s)" role.loader.cores=500
    [ "$status" -eq 1 ]
    expect "$output" "*MSC-V002 role.loader.cores=500: *"
    nearest=$(sed -n 's/^nearest: //p' <<<"$output")
    [ -n "$nearest" ]
    mscale check --root "$(model hgx-h100-2s)" "$nearest"
}

@test "a clause that submit refuses is warned of once, and told in the JSON" {
    run mscale check --root "$(model hgx-h100-2s)" role.loader.cores=1,rdma.gid=auto
    [ "$status" -eq 0 ]
    [ "$(grep -c "refused at submit" <<<"$output")" = 1 ]
    run --separate-stderr mscale check --json --root "$(model hgx-h100-2s)" role.loader.cores=1,rdma.gid=auto
    expect "$(member "['submit']" <<<"$output")" refused
    run --separate-stderr mscale check --json --root "$(model hgx-h100-2s)" role.loader.cores=1
    expect "$(member "['submit']" <<<"$output")" accepted
}

@test "the JSON of a refusal has every member that tools read" {
    run --separate-stderr mscale check --json --root "$(model hgx-h100-2s)" role.loader.cores=500,gpu.model=v100
    [ "$status" -eq 1 ]
    expect "$(member "['mscale_check']" <<<"$output")" 1
    expect "$(member "['verdict']" <<<"$output")" refused
    expect "$(member "['contract']" <<<"$output")" gpu.model=v100,role.loader.cores=500
    expect "$(member "['refusals']" <<<"$output")" "*'code': 'MSC-V010'*'clause': 'gpu.model'*'reason'*'hint'*"
    member "['plan'], 'nearest'" <<<"$output"
    member "['nearest']" <<<"$output"
}

@test "the JSON of a text with faults says invalid and holds them all" {
    run --separate-stderr mscale check --json gpu.smm=8,cores=4
    [ "$status" -eq 2 ]
    expect "$(member "['verdict']" <<<"$output")" invalid
    expect "$(member "['faults'][1]['column']" <<<"$output")" 11
}

# The HGX model with PCI roots, one a NUMA node: the copied tree shows no hierarchy.
rooted_model() {
    mscale topology --json --root "$(model hgx-h100-2s)" | python3 -c '
import json, sys
machine = json.load(sys.stdin)
for device in machine["gpus"] + machine["disks"]:
    device["locality"]["pci_root"] = f"0000:{device['"'locality'"']['"'numa'"']:02x}"
json.dump(machine, sys.stdout)' >"$BATS_TEST_TMPDIR/rooted.json"
    echo "$BATS_TEST_TMPDIR/rooted.json"
}

@test "each shipped profile is honoured on the HGX model" {
    local machine
    machine=$(rooted_model)
    for profile in mlvm-light mlvm-hybrid mlvm-heavy; do
        run mscale check --machine "$machine" "$profile"
        echo "$profile: $output"
        [ "$status" -eq 0 ]
    done
}

@test "a profile that pairs GPU and disk is refused where the machine shows no PCI hierarchy" {
    run mscale check --root "$(model hgx-h100-2s)" mlvm-heavy
    [ "$status" -eq 1 ]
    expect "$output" "*MSC-V008 role.image_loader.pcie_domain=gpu*"
    nearest=$(sed -n 's/^nearest: //p' <<<"$output")
    eval "mscale check --root '$(model hgx-h100-2s)' $nearest"
}

@test "unknown locality refuses a strict contract with that word, and warns a lenient one" {
    local relation=gpu.model=h100,role.loader.cores=2,role.loader.near=gpu
    run mscale check --root "$(model kvm-flat-numa-1)" "$relation"
    [ "$status" -eq 1 ]
    expect "$output" "*MSC-V008*"
    run mscale check --root "$(model kvm-flat-numa-1)" "$relation,contract.strict=no"
    [ "$status" -eq 0 ]
    expect "$output" "*warning*"
}

@test "a NUMA node without CPUs is no place for a role" {
    run mscale check --root "$(model gh200-4x)" role.loader.cores=2,role.loader.near=numa:4
    [ "$status" -eq 1 ]
    expect "$output" "*MSC-V006*"
}

@test "a file is read as the caller, and nothing but a regular one" {
    printf '[contract]\r\nprofile = mlvm-light\r\n[role.image_loader]\r\ncores = 4\r\n' >"$BATS_TEST_TMPDIR/a.ini"
    cd "$BATS_TEST_TMPDIR"
    run mscale check --root "$(model hgx-h100-2s)" @a.ini
    [ "$status" -eq 0 ]
    mkfifo pipe
    run timeout 10 mscale check @pipe
    [ "$status" -eq 2 ]
    expect "$output" "*MSC-P018*no regular file*"
}

@test "a drive named by its link is the one with that serial number" {
    local machine=$BATS_TEST_TMPDIR/machine.json link
    mscale topology --json --root "$(model hgx-h100-2s)" >"$machine"
    link=/dev/disk/by-id/nvme-MODEL_$(member "['disks'][3]['serial']" <"$machine")
    run mscale check --machine "$machine" "role.loader.disk=$link"
    [ "$status" -eq 0 ]
    run mscale check --machine "$machine" role.loader.disk=/dev/disk/by-id/nvme-eui.00
    [ "$status" -eq 1 ]
    expect "$output" "*MSC-V014*"
}

@test "a clause with nothing to hold on is a fault of the contract, one whose device isn't there a refusal" {
    run mscale check --root "$(model hgx-h100-2s)" gpu.model=h100,gpu.sm_mode=soft,role.loader.io_depth=64
    [ "$status" -eq 2 ]
    expect "$output" "*MSC-P023: gpu.sm_mode has nothing to hold on without gpu.sm or gpu.share*^~~~*add gpu.sm=N*"
    expect "$output" "*MSC-P023: role.loader.io_depth has nothing to hold on without role.loader.disk*"
    mscale topology --json --root "$(model hgx-h100-2s)" |
        python3 -c 'import json, sys; m = json.load(sys.stdin); m["ports"] = m["gpus"] = []; json.dump(m, sys.stdout)' \
            >"$BATS_TEST_TMPDIR/bare.json"
    run mscale check --machine "$BATS_TEST_TMPDIR/bare.json" gpu.sm=8,gpu.sm_mode=soft,rdma.retry_count=3,role.loader.cores=1
    [ "$status" -eq 1 ]
    expect "$output" "*MSC-V009 gpu.sm_mode=soft: the machine has no GPU*"
    expect "$output" "*MSC-V017 rdma.retry_count=3: the machine has no RDMA port*nearest: role.loader.cores=1*"
}

@test "what of ft the machine can't hold is refused, and what it needs of the job is told" {
    run mscale check --root "$(model hgx-h100-2s)" ft.state=100000GiB,ft.copies=2
    [ "$status" -eq 1 ]
    expect "$output" "*MSC-R004 ft.state=*the snapshots of 1 rank take*the machine has*"
    run mscale check --root "$(model hgx-h100-2s)" ft.state=8GiB,ft.copies=2,ft.step_time=2s
    [ "$status" -eq 0 ]
    expect "$output" "*the job needs 3 nodes*a step (2.0 s) with a snapshot (16.0 s) takes 18.0 s*"
    run mscale check ft.detect=10ms
    [ "$status" -eq 2 ]
    expect "$output" "*MSC-P011*from 150ms to 1h*"
}

@test "a bus below a PCI hierarchy that isn't shown is unknown, not absent" {
    run mscale check --root "$(model hgx-h100-2s)" role.loader.gpu=0,role.loader.pcie_domain=0000:77
    [ "$status" -eq 1 ]
    expect "$output" "*MSC-V008*is unknown: the machine shows no PCI hierarchy*"
}

@test "every fault of a machine's file is told at once with its JSON pointer" {
    mscale topology --json --root "$(model hgx-h100-2s)" | python3 -c '
import json, sys
machine = json.load(sys.stdin)
machine["gpus"][3]["locality"]["numa"] = 9
machine["gpus"][4]["index"] = 0
machine["numa"][1]["huge_pages"][0]["free"] = 1 << 40
json.dump(machine, sys.stdout)' >"$BATS_TEST_TMPDIR/m.json"
    run --separate-stderr mscale check --machine "$BATS_TEST_TMPDIR/m.json" gpu.sm=8
    [ "$status" -eq 2 ]
    expect "$stderr" "*MSC-H003*/numa/1/huge_pages/0/free: 1099511627776 are free of*"
    expect "$stderr" "*/gpus/3/locality/numa: there is no NUMA node 9*/gpus/4/index: GPU 0 stands there twice*"
}

@test "a machine's file that isn't one is a fault of the file, not of the contract" {
    echo '{"mscale_machine": 1}' >"$BATS_TEST_TMPDIR/m.json"
    run mscale check --machine "$BATS_TEST_TMPDIR/m.json" gpu.sm=8
    [ "$status" -ne 0 ] && [ "$status" -ne 1 ]
    expect "$output" "*m.json*"
}

@test "what keeps a verdict from being made is told in the JSON as well, with its own exit status" {
    local machine=$BATS_TEST_TMPDIR/m.json
    mscale topology --json --root "$(model hgx-h100-2s)" | python3 -c '
import json, sys
machine = json.load(sys.stdin)
machine["gpus"][4]["index"] = 0
json.dump(machine, sys.stdout)' >"$machine"
    run --separate-stderr mscale check --json --machine "$machine" gpu.sm=8
    [ "$status" -eq 2 ]
    expect "$(member "['verdict']" <<<"$output")" none
    expect "$(member "['submit']" <<<"$output")" refused
    expect "$(member "['contract']" <<<"$output")" gpu.sm=8
    expect "$(member "['faults']" <<<"$output")" "[[]{'code': 'MSC-H003', 'line': None, *'text': '*/gpus/4/index: GPU 0 stands there twice*'hint': *"
    expect "$stderr" "*MSC-H003*"
    run --separate-stderr mscale check --json --machine "$BATS_TEST_TMPDIR/absent.json" gpu.sm=8
    [ "$status" -eq 2 ]
    expect "$(member "['faults'][0]['text']" <<<"$output")" "*absent.json: No such file*"
    run --separate-stderr mscale check --json --root "$(model hgx-h100-2s)" --cpus 4000 gpu.sm=8
    [ "$status" -eq 2 ]
    expect "$(member "['faults'][0]['text']" <<<"$output")" "--cpus 4000: *"
    printf '[nonsense]\nkey = 1\n' >"$BATS_TEST_TMPDIR/bad.conf"
    run --separate-stderr mscale --config "$BATS_TEST_TMPDIR/bad.conf" check --json gpu.sm=8
    [ "$status" -ne 0 ] && [ "$status" -ne 1 ]
    expect "$(member "['faults'][0]['text']" <<<"$output")" "*bad.conf*"
}

@test "a machine is read from a pipe, whoever is the slower" {
    mscale topology --json --root "$(model hgx-h100-2s)" >"$BATS_TEST_TMPDIR/m.json"
    run mscale check --machine <(sleep 0.5; cat "$BATS_TEST_TMPDIR/m.json") role.loader.cores=2
    [ "$status" -eq 0 ]
    run mscale check --machine /dev/stdin role.loader.cores=2 < <(sleep 0.5; cat "$cases/topo/hgx-h100-2s.xml")
    [ "$status" -eq 0 ]
    expect "$output" "*honoured on*"
}

@test "the machine and the contract of the README's example are there, and the contract is honoured" {
    local example
    example=$(grep -o 'mscale check --machine [^`]*' "$srcdir/README.md")
    expect "$example" "mscale check --machine *.json @*.ini"
    cd "$srcdir"
    run $example
    [ "$status" -eq 0 ]
    run mscale check --machine examples/hgx-h100.json @etc/profiles/mlvm-heavy.ini
    [ "$status" -eq 0 ]
}
