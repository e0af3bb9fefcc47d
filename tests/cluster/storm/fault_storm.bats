# Faults in a row over one long training: none gives a wrong sample or a start from nothing, and nothing is left behind.
# STORM_FAULTS is how many (10), STORM_SEED makes their order repeatable.
load ../common
load ../loss/lost_nodes
load ../loss/snapshots
load training
load faults

faults=${STORM_FAULTS:-10}
ranks=3

setup_file() {
    start_cluster --nodes 6 --pages 0 --mscale-conf recovery.held_memory=256MiB --mscale-conf recovery.max_down_per_hour=1000 --mscale-conf recovery.set_down=yes \
        --mscale-conf daemon.reconcile_interval=10s --mscale-conf daemon.watch_interval=1s
}
teardown_file() { stop_cluster; }
setup() {
    need_part mscaled spank_mscale job_submit_mscale
    work=$base/home/alice/storm
    rm -rf "$work"
    as_alice mkdir "$work"
}
teardown() {
    mend_nodes
    expect_nothing_left
}

# One fault and what comes after it; `strikes` counts each kind.
strike_once() { # FAULT
    local fault=$1 node before begin=$EPOCHREALTIME
    wait_until '(($(training_nodes | wc -l) == ranks))' 60 || { tail -n 30 "$output_file"; return 1; }
    node=$(pick $(training_nodes))
    [[ ! $fault =~ ^(node|partition)$ ]] || may_lose "$node" || return 0
    before=$(newest_step)
    "fault_$fault" "$node" >/dev/null 2>"$BATS_TEST_TMPDIR/fault" || true # it may have met nothing
    expect_progress $((before + 40)) || { echo "after $fault on $node at step $before"; cat "$BATS_TEST_TMPDIR/fault"; tail -n 30 "$output_file"; return 1; }
    mend_nodes
    strikes[$fault]=$((${strikes[$fault]:-0} + 1)) struck=$((struck + 1))
    echo "# $struck: $fault on $node at step $before, $(awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }') s" >&3
}

@test "after $faults faults in a row no sample is wrong, nothing began from nothing and nothing is left" {
    declare -A strikes=() usage=()
    local struck=0 fault node all
    RANDOM=${STORM_SEED:-1}
    read -ra all <<<"$all_faults"
    for node in $(node_names); do usage[$node]=$(usage_of "$node" | xargs); done
    begin_training
    while ((struck < faults)); do
        fault=${all[RANDOM % ${#all[@]}]}
        ((faults > 20)) || fault=${all[struck % ${#all[@]}]}
        strike_once "$fault"
    done
    end_training
    expect_whole_ledger
    wait_until holds_nothing 60
    memory_is_gone $(node_names)
    for node in $(node_names); do expect_no_growth "$node" ${usage[$node]} $(usage_of "$node"); done
    for fault in "${!strikes[@]}"; do echo "# $fault: ${strikes[$fault]} times" >&3; done
}
