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

@test "a job is named by its plain number" {
    for word in abc 0 12_3 4294967296; do
        run --separate-stderr mscale status "$word"
        [ "$status" -eq 2 ]
        expect "$stderr" "*a job number is expected, not '$word'*"
    done
}

@test "where no mscaled answers, status says on which host to ask, also as JSON" {
    export MSCALE_CONF=$BATS_TEST_TMPDIR/mscale.conf
    printf '[paths]\nstate = %s\n' "$BATS_TEST_TMPDIR" >"$MSCALE_CONF"
    export SLURM_CONF=/nonexistent
    run --separate-stderr mscale status 4711 --json
    [ "$status" -ne 0 ]
    expect "$stderr" "*srun --jobid=4711 --overlap mscale status 4711*"
    expect "$(member "['error']['code']" <<<"$output")" MSC-N004
}
