#!/usr/bin/env bats
# SIGKILL of mscale-node at each point of apply and release: afterwards ledger and machine agree and no huge page is lost.
# With MSCALE_FAST set a tenth of the kills is made; RANDOM_KILLS are those at no particular point.

load node

setup_file() { start_node; }
teardown_file() { stop_node; }
setup() {
    before=$(<$pool)
    use_before=$(pool_use)
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

# True when the command was killed and false when it came to its end; a failure ends the test, since it is neither.
was_killed() { # COMMAND…
    local status=0
    "$@" >"$dir/said" 2>&1 || status=$?
    case $status in
    137) return 0 ;;
    0) return 1 ;;
    esac
    echo "exit status $status: $(<"$dir/said")"
    exit 1
}

apply_killed_at() { # CALL N
    # shellcheck disable=SC2046
    was_killed apply 7 "$credential" $(kill_at "$1" "$2")
}

node_killed_at() { # CALL N WORDS OF mscale-node…
    local call=$1 n=$2
    shift 2
    # shellcheck disable=SC2046
    was_killed env -i SLURM_CONF=/absent PATH="$PATH" $(kill_at "$call" "$n") "$node_program" --config "$dir/mscale.conf" "$@"
}
release_killed_at() { node_killed_at "$1" "$2" release --job 7; }
reconcile_killed_at() { node_killed_at "$1" "$2" reconcile --live 0; }
step_killed_at() { node_killed_at "$1" "$2" step <"$dir/question"; }

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

@test "release killed at each of its acts is ended by a second release" {
    command -v strace >/dev/null || skip "needs strace"
    for call in $calls; do
        for ((n = 1; ; n += 2 * stride)); do
            apply 7 "$credential" >/dev/null
            release_killed_at "$call" $n || break
            node release --job 7
            expect_clean "$before" || { echo "after a kill at $call $n of release"; return 1; }
        done
        expect_clean "$before"
    done
}

@test "release killed while it ends what the job left running is ended by a second release" {
    command -v strace >/dev/null || skip "needs strace"
    local killed=0
    for call in kill pidfd_send_signal umount2 unlink; do
        for ((n = 1; ; n++)); do
            apply 7 "$credential" >/dev/null
            leave_processes
            release_killed_at "$call" $n || break
            killed=$((killed + 1))
            node release --job 7
            expect_no_process_left || { echo "after a kill at $call $n of release"; return 1; }
            expect_clean "$before" || { echo "after a kill at $call $n of release"; return 1; }
        done
        expect_no_process_left
        expect_clean "$before"
    done
    [ $killed -ge 4 ]
}
# Three processes of the job, of which the ledger knows the first.
leave_processes() {
    setpriv --reuid $user --regid $user --clear-groups setsid bash -c 'sleep 1000 & sleep 1000 & wait' 3>&- &
    session=$!
    until [[ $(pgrep -c -s $session sleep) == 2 ]]; do :; done
    echo "0 0 - $session $(awk '{print $22}' /proc/$session/stat) -" >>"$dir/state/jobs/7.tasks"
}
expect_no_process_left() {
    run pgrep --runstates D,R,S,T -s $session
    [ "$status" -ne 0 ]
}

@test "step killed at each of its acts leaves the ledger whole, and the next step is planned" {
    command -v strace >/dev/null || skip "needs strace"
    local killed=0
    for call in $calls openat; do
        for ((n = 1; ; n += $([[ $call == openat ]] && echo 25 || echo 1))); do
            apply 7 "$credential" >/dev/null
            ask_step 0
            step_killed_at "$call" $n || break
            killed=$((killed + 1))
            [ "$(record 7 .stage)" = applied ] || { echo "after a kill at $call $n of step"; return 1; }
            ask_step 1
            node step <"$dir/question" >"$dir/said"
            [ "$(record 7 '[.steps[].step_id | select(. == 1)] | length')" = 1 ]
            node release --job 7
            expect_clean "$before" || { echo "after a kill at $call $n of step"; return 1; }
        done
        node release --job 7
        expect_clean "$before"
    done
    [ $killed -ge 6 ]
}
ask_step() { # STEP
    jq -cn --argjson step "$1" --argjson uid $user \
        '{job: 7, step: $step, uid: $uid, tasks: 1, step_cores: "", job_cores: "0", affinity: "0-1"}' >"$dir/question"
}

@test "reconcile killed at each of its acts is ended by the next one" {
    command -v strace >/dev/null || skip "needs strace"
    local killed=0
    for call in $calls; do
        for ((n = 1; ; n += stride)); do
            apply 7 "$credential" >/dev/null
            reconcile_killed_at "$call" $n || break
            killed=$((killed + 1))
            node reconcile --live 0
            expect_clean "$before" || { echo "after a kill at $call $n of reconcile"; return 1; }
        done
        expect_clean "$before"
    done
    [ $killed -ge $((20 / stride)) ]
}

@test "kills at random moments lose no huge page" {
    local killed=0 wanted=$((${RANDOM_KILLS:-100} / stride))
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
