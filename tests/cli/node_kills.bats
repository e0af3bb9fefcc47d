#!/usr/bin/env bats
# SIGKILL of mscale-node at each point of apply and release: afterwards ledger and machine agree and no huge page is lost.
# With MSCALE_FAST set a tenth of the kills is made.

load node

setup_file() { start_node; }
teardown_file() { stop_node; }
setup() {
    before=$(<$pool)
    pages=$(($(spare_pages) + 32))
    credential=$(seal "role.loader.cores=1,role.loader.hugepages=2MiB*$pages")
    stride=${MSCALE_FAST:+10}
    stride=${stride:-1}
}

# What apply and release do to the machine.  strace kills at the entry of the Nth call of one kind, which is the same as
# after whatever came before it.
calls="mount umount2 rename write mkdir rmdir unlink fsync fchmod flock"

kill_at() { # CALL N
    echo "strace -f -o /dev/null -e trace=$1 -e inject=$1:signal=SIGKILL:when=$2"
}

apply_killed_at() { # CALL N: true when it was killed there
    # shellcheck disable=SC2046
    ! apply 7 "$credential" $(kill_at "$1" "$2") >/dev/null 2>&1
}

release_killed_at() { # CALL N
    # shellcheck disable=SC2046
    ! env -i PATH="$PATH" $(kill_at "$1" "$2") "$node_program" --config "$dir/mscale.conf" release --job 7 >/dev/null 2>&1
}

# Runs a command and kills it after a part of a second; true when the kill met it.
kill_within() { # SECONDS COMMAND…
    local limit=$1 status=0
    shift
    timeout --signal=KILL "$limit" "$@" || status=$?
    [[ $status -eq 137 ]]
}

random_time() { awk -v seed=$RANDOM 'BEGIN { srand(seed); printf "%.4f", 0.001 + rand() * 0.05 }'; }

apply_for() { # SECONDS
    kill_within "$1" env -i SLURM_CONF=/absent SLURM_JOB_ID=7 SLURM_JOB_UID=$user SLURM_JOB_GID=$user \
        SPANK_MSCALE_VERIFIED="$credential" "$node_program" --config "$dir/mscale.conf" apply >/dev/null 2>&1
}

@test "apply killed at each of its acts is undone by reconcile" {
    command -v strace >/dev/null || skip "needs strace"
    local killed=0
    for call in $calls; do
        for ((n = 1; ; n += stride)); do
            apply_killed_at "$call" $n || break
            killed=$((killed + 1))
            node reconcile --live 0
            expect_clean "$before" || { echo "after a kill at $call $n of apply"; return 1; }
        done
        node release --job 7
        expect_clean "$before"
    done
    echo "# apply was killed at $killed acts" >&3
    [ $killed -ge $((40 / stride)) ]
}

@test "apply killed at each of its acts is undone by the next apply of the job" {
    command -v strace >/dev/null || skip "needs strace"
    for call in $calls; do
        for ((n = 1; ; n += 2 * stride)); do
            apply_killed_at "$call" $n || break
            apply 7 "$credential" >/dev/null
            [ "$(record 7 .stage)" = applied ]
            node release --job 7
            expect_clean "$before" || { echo "after a kill at $call $n of apply"; return 1; }
        done
        node release --job 7
        expect_clean "$before"
    done
}

@test "release killed at each of its acts is ended by reconcile" {
    command -v strace >/dev/null || skip "needs strace"
    local killed=0
    for call in $calls; do
        for ((n = 1; ; n += stride)); do
            apply 7 "$credential" >/dev/null
            release_killed_at "$call" $n || break
            killed=$((killed + 1))
            node reconcile --live 0
            expect_clean "$before" || { echo "after a kill at $call $n of release"; return 1; }
        done
        expect_clean "$before"
    done
    echo "# release was killed at $killed acts" >&3
    [ $killed -ge $((20 / stride)) ]
}

@test "a hundred kills at random moments lose no huge page" {
    local killed=0 wanted=$((100 / stride))
    for ((round = 0; killed < wanted && round < 20 * wanted; round++)); do
        apply_for "$(random_time)" && killed=$((killed + 1))
        if ((round % 2)); then
            kill_within "$(random_time)" "$node_program" --config "$dir/mscale.conf" release --job 7 >/dev/null 2>&1 &&
                killed=$((killed + 1))
        fi
        node reconcile --live 0
        expect_clean "$before" || { echo "after random kill $killed"; return 1; }
    done
    echo "# $killed kills in $round rounds" >&3
    [ $killed -ge $wanted ]
}

@test "while one job's process is killed the pages of another stay its own" {
    local own=$(($(spare_pages) + 16))
    apply 8 "$(seal "role.loader.cores=1,role.loader.hugepages=2MiB*$own")"
    for ((round = 0; round < 20 / stride; round++)); do
        apply_for "$(random_time)" || true
        node reconcile --live 8
        [ "$(record 8 .stage)" = applied ]
        [ "$(mounts | wc -l)" -eq 1 ]
        [ "$(<$pool)" -eq $((before + 16)) ]
    done
    setpriv --reuid $user --regid $user --clear-groups fallocate -l $((2 * own))M "$dir/state/huge/8/2048kB/all"
    node release --job 8
    expect_clean "$before"
}
