# Fault after fault into one long training: no step is wrong, none is missing, nothing begins anew, nothing is left.
# STORM_FAULTS is how many (200); STORM_SEED makes a run repeatable.
load faults

faults=${STORM_FAULTS:-200}

setup_file() {
    start_cluster --nodes 6 --mscale-conf recovery.max_down_per_hour=100000 --mscale-conf recovery.held_memory=64MiB
}
teardown_file() { stop_cluster; }

@test "a training goes through $faults faults as if there had been none" {
    RANDOM=${STORM_SEED:-1}
    start_training $((faults * steps_a_fault))
    for ((number = 1; number <= faults; number++)); do
        strike_and_watch "$number"
    done
    expect_whole_training
}

@test "after the faults nothing is left of the training" {
    expect_all_idle
    wait_until has_no_segments 30
    [[ -z $(pgrep -x heat) ]]
}
