#!/usr/bin/env bats
# How the command is called: help, exit codes, streams.
load common

@test "the help of each subcommand ends in examples" {
    for subcommand in check explain topology plan status inventory exec doctor; do
        run mscale "$subcommand" --help
        [ "$status" -eq 0 ]
        expect "$output" "*Examples:*mscale $subcommand*mscale $subcommand*"
    done
}

@test "a wrong call is exit status 2 and says so on stderr" {
    for call in "" "chekc" "check" "check --tasks 0 gpu.sm=8" "check --root / --machine x gpu.sm=8" "exec --role a"; do
        # shellcheck disable=SC2086  # the call is several words
        run --separate-stderr mscale $call
        echo "mscale $call: $status"
        [ "$status" -eq 2 ]
        [ -z "$output" ]
        expect "$stderr" "mscale: *"
    done
}

@test "the version names Slurm's" {
    run mscale --version
    [ "$status" -eq 0 ]
    expect "$output" "mscale *Slurm*"
}

@test "the machine is drawn as text and told as JSON" {
    run mscale topology --root "$(model hgx-h100-2s)"
    [ "$status" -eq 0 ]
    expect "$output" "*NUMA*"
    run --separate-stderr mscale topology --json --root "$(model hgx-h100-2s)"
    expect "$(member "['mscale_machine']" <<<"$output")" 1
}

@test "a plan shows where each role lies" {
    run mscale plan --root "$(model hgx-h100-2s)" role.loader.cores=4
    [ "$status" -eq 0 ]
    expect "$output" "*loader*"
}

@test "the completion offers clauses, also after a comma" {
    source "$srcdir/etc/completion/mscale"
    COMP_WORDS=(mscale check gpu.sm=8,role.loader.hug) COMP_CWORD=2
    _mscale
    expect "${COMPREPLY[*]}" "gpu.sm=8,role.loader.hugepages="
    COMP_WORDS=(sbatch --mscale-contract = rdma.q) COMP_CWORD=3
    _mscale_option
    expect "${COMPREPLY[*]}" "rdma.queue_pairs="
}
