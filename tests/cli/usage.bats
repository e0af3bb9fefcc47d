#!/usr/bin/env bats
# How the command is called: help, exit codes, streams.
load common

@test "the help of each subcommand ends in examples" {
    for subcommand in check explain topology plan status inventory exec snapshot doctor run; do
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

@test "run refuses a line without a command, and any outside a job" {
    unset SLURM_JOB_ID
    for call in "run" "run true" "run -w n1 -- true" "run -- true" "run --timeline=x -- true"; do
        # shellcheck disable=SC2086  # the call is several words
        run --separate-stderr mscale $call
        echo "mscale $call: $status"
        [ "$status" -eq 2 ]
        [ -z "$output" ]
    done
    run --separate-stderr mscale run -n 2 -- status --help
    [ "$status" -eq 2 ]
    expect "$stderr" "*mscale run works inside a job*sbatch*"
    run mscale run -n 2 --help
    [ "$status" -eq 0 ]
    expect "$output" "*--max-restarts*"
}

@test "an option whose value is empty is a wrong call, not one without the option" {
    for option in --cpus --machine --root --tasks; do
        run --separate-stderr mscale check "$option" "" gpu.sm=8
        [ "$status" -eq 2 ]
        expect "$stderr" "mscale: *$option*"
    done
}

@test "CPUs that the machine hasn't are a wrong call" {
    run --separate-stderr mscale check --cpus 0-999 --root "$(model hgx-h100-2s)" role.loader.cores=2
    [ "$status" -eq 2 ]
    expect "$stderr" "*--cpus 0-999: * has the CPUs *"
}

@test "what is done with snapshots is named, and its help ends in examples" {
    for act in list show verify drop; do
        run mscale snapshot "$act" --help
        [ "$status" -eq 0 ]
        expect "$output" "*Examples:*mscale snapshot $act*"
    done
    for call in "snapshot" "snapshot lsit" "snapshot drop" "snapshot show" "snapshot list 12_3"; do
        # shellcheck disable=SC2086  # the call is several words
        run --separate-stderr mscale $call
        [ "$status" -eq 2 ]
        [ -z "$output" ]
    done
}

@test "without mscaled the snapshots of a node are not known" {
    printf '[paths]\nstate = %s\n' "$BATS_TEST_TMPDIR" >"$BATS_TEST_TMPDIR/mscale.conf"
    run --separate-stderr mscale --config "$BATS_TEST_TMPDIR/mscale.conf" snapshot list --json
    [ "$status" -eq 3 ]
    expect "$stderr" "*MSC-N004*systemctl start mscaled*"
    expect "$(member "['error']['code']" <<<"$output")" MSC-N004
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

@test "a subcommand that isn't one is told with the nearest" {
    run --separate-stderr mscale chekc
    [ "$status" -eq 2 ]
    expect "$stderr" "*no subcommand 'chekc'*did you mean 'check'*"
    run --separate-stderr mscale --config /dev/null explian MSC-V013
    expect "$stderr" "*did you mean 'explain'*"
}

@test "a configuration that isn't there is named with a cure that fits" {
    run --separate-stderr mscale --config /nonexist/mscale.conf topology
    [ "$status" -eq 3 ]
    expect "$stderr" "*--config /nonexist/mscale.conf: No such file*name a file that you can read*"
}

# Runs mscale as somebody who may read nothing of the test's directory but what is everybody's.
as_nobody() {
    [ "$(id -u)" = 0 ] || skip "needs root to be somebody else"
    run --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups "$(command -v mscale)" "$@"
}

@test "what the caller may not read or write is exit status 4, whatever it is" {
    local secret=$BATS_TEST_TMPDIR/secret
    echo '{}' >"$secret"
    chmod 600 "$secret"
    chmod 755 "$BATS_TEST_TMPDIR"
    mkdir -p "$BATS_TEST_TMPDIR/closed"
    chmod 700 "$BATS_TEST_TMPDIR/closed"
    for call in "--config $secret topology" "--config /dev/null check --machine $secret gpu.sm=8" "--config /dev/null check @$secret" \
        "--config /dev/null inventory --output $BATS_TEST_TMPDIR/closed"; do
        # shellcheck disable=SC2086  # the call is several words
        as_nobody $call
        echo "mscale $call: $status $stderr"
        [ "$status" -eq 4 ]
        expect "$stderr" "*Permission denied*"
    done
}

@test "a configuration that MSCALE_CONF names is told so, with a cure that fits" {
    MSCALE_CONF=/nonexist/mscale.conf run --separate-stderr mscale topology
    [ "$status" -eq 3 ]
    expect "$stderr" "*MSC-C001: MSCALE_CONF: *No such file*unset it*"
    export MSCALE_CONF=$BATS_TEST_TMPDIR/mscale.conf
    printf '[site]\nmode = strict\n[policy]\ncolour = red\n' >"$MSCALE_CONF"
    run --separate-stderr mscale topology
    [ "$status" -eq 3 ]
    expect "$stderr" "*MSC-C001: $MSCALE_CONF (MSCALE_CONF names it) has 2 faults*:2:*MSC-C003*:4:*MSC-C002*unset MSCALE_CONF*"
}

@test "a class is written beside a file that can't be read, which is warned of" {
    local directory=$BATS_TEST_TMPDIR/inventory
    mkdir "$directory"
    echo '{' >"$directory/other.json"
    run --separate-stderr mscale --config /dev/null inventory --output "$directory" --class here --root "$(model hgx-h100-2s)"
    [ "$status" -eq 0 ]
    expect "$stderr" "*warning: $directory/other.json: *"
    expect "$(member "['machine']['mscale_machine']" <"$directory/here.json")" 1
}

@test "an inventory that isn't there is named by its path" {
    export MSCALE_CONF=$BATS_TEST_TMPDIR/mscale.conf
    printf '[paths]\ninventory = /nonexist/inventory\n' >"$MSCALE_CONF"
    run --separate-stderr mscale inventory --list
    [ "$status" -eq 3 ]
    expect "$stderr" "*/nonexist/inventory: No such file*--output*"
}

@test "the name of a class can't leave the directory, nor take the place of the partitions" {
    for name in ../x a/b .hidden partitions; do
        run --separate-stderr mscale inventory --output "$BATS_TEST_TMPDIR/inventory" --class "$name"
        [ "$status" -eq 2 ]
        expect "$stderr" "*can't be the name of a class*"
    done
    [ ! -e "$BATS_TEST_TMPDIR/x.json" ]
}

@test "a broken list of nodes is refused" {
    mscale --version | grep -q "Slurm [0-9]" || skip "needs Slurm"
    for list in 'n[1-8' 'n1-8]' 'n]1['; do
        run --separate-stderr mscale inventory --nodes "$list"
        echo "$list: $status $stderr"
        [ "$status" -eq 2 ]
    done
    run --separate-stderr mscale inventory --nodes 'n[1-3],m7'
    expect "$(member "['nodes']" <<<"$output")" "?'m7', 'n1', 'n2', 'n3'?"
}

@test "a gres.conf that lacks the lines of this machine is told so" {
    local tree file=$BATS_TEST_TMPDIR/gres.conf
    tree=$(model hgx-h100-2s)
    echo "# NodeName=n1 Name=gpu" >"$file"
    run mscale inventory --check-gres "$file" --root "$tree"
    [ "$status" -eq 1 ]
    expect "$output" "*no line Name=gpu*--gres-conf*"
    mscale inventory --gres-conf --root "$tree" 2>/dev/null >"$file"
    run mscale inventory --check-gres "$file" --root "$tree"
    [ "$status" -eq 0 ]
}

@test "a plan as JSON is JSON also when it is refused or can't be made" {
    use_shipped_profiles
    run --separate-stderr mscale plan --json --root "$(model hgx-h100-2s)" role.loader.cores=4
    expect "$(member "['verdict']" <<<"$output")" honoured
    run --separate-stderr mscale plan --json --root "$(model hgx-h100-2s)" role.loader.cores=4000
    [ "$status" -eq 1 ]
    expect "$(member "['refusals'][0]['code']" <<<"$output")" MSC-V002
    expect "$stderr" "*nearest: role.loader.cores=112*"
    expect "$(member "['nearest']" <<<"$output")" role.loader.cores=112
    run --separate-stderr mscale plan --json role.loader.coress=4
    [ "$status" -eq 2 ]
    expect "$(member "['faults'][0]['code']" <<<"$output")" MSC-P002
    run --separate-stderr mscale plan --json --machine /nonexist role.loader.cores=4
    expect "$(member "['verdict']" <<<"$output")" failed
}

@test "an answer that can't be written is no success" {
    run bash -c 'mscale explain --codes >/dev/full'
    [ "$status" -eq 3 ]
    expect "$output" "*MSC-N009*"
}
