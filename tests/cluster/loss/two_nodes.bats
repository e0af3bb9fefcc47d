# Two nodes die in the same second, on a real Slurm.  Of such a step Slurm 22.05 often never learns that it has ended.
load ../common
load lost_nodes
load snapshots
load heat

setup_file() { start_cluster --nodes 6 --pages 0 --mscale-conf recovery.max_down_per_hour=50; }
teardown_file() { stop_cluster; }
setup() { need_part mscaled spank_mscale job_submit_mscale; }
teardown() {
    bring_back_lost_nodes
    expect_nothing_left
}

heat=${BUILD_DIR:-$source_dir/build}/examples/heat
steps=6000

kill_at_once() { # NODE...
    local node killers=()
    lost+=("$@")
    for node in "$@"; do
        cluster kill "$node" &
        killers+=($!)
    done
    wait "${killers[@]}"
}

# The race that Slurm loses is met in most rounds, not in each.
@test "two nodes of a Reed-Solomon group die in the same second: the spares take their place, three times in a row" {
    local round
    for round in 1 2 3; do
        begin_heat 4 ft.redundancy=rs:2+2,ft.spares=2
        is_past 2000
        kill_at_once n2 n3
        end_job COMPLETED
        [[ $(grep -oE 'in place of .*,' "$output_file") == *n2*n3* || $(grep -c 'in place of' "$output_file") == 2 ]]
        expect_same_heat
        expect_no_new_beginning
        bring_back_lost_nodes
        expect_nothing_left
    done
}

@test "with two copies two adjacent nodes may die in the same second" {
    begin_heat 4 ft.copies=2,ft.spares=2
    is_past 2000
    kill_at_once n2 n3
    end_job COMPLETED
    expect_same_heat
    expect_no_new_beginning
}

@test "with one copy two adjacent nodes take a rank's state with them: the job is refused a start from nothing, and says why" {
    begin_heat 4 ft.copies=1,ft.spares=2
    is_past 2000
    kill_at_once n2 n3
    end_job FAILED
    grep -E 'MSC-R005.*no copy of rank' "$output_file"
    expect_no_new_beginning
}

@test "with one copy and files two adjacent nodes cost the epochs that weren't written yet, and no more" {
    local spill=$base/home/alice/two.spill
    rm -rf "$spill"
    begin_heat 4 "ft.copies=1,ft.spares=2,ft.spill=$spill,ft.spill_every=2"
    is_past 2000
    wait_until "[[ \$(ls $spill/mscale-$job | grep -c json) -ge 1 ]]" 30
    kill_at_once n2 n3
    end_job COMPLETED
    expect_same_heat
    expect_no_new_beginning
}
