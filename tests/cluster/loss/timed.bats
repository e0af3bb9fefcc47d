# ft.every = TIME: the clocks of the ranks differ, and all save at the same step all the same.
load ../common
load lost_nodes
load snapshots
load heat

heat=${BUILD_DIR:-$source_dir/build}/examples/heat
steps=6000

setup_file() { start_cluster --nodes 4 --pages 0; }
teardown_file() { stop_cluster; }
setup() { need_part mscaled spank_mscale job_submit_mscale; }
teardown() {
    bring_back_lost_nodes
    expect_nothing_left
}

begin_timed() { # TIME NODES RANKS-A-NODE
    output_file=$base/home/alice/timed.$BATS_TEST_NUMBER.out
    ranks=$(($2 * $3))
    rm -f "$output_file"
    job=$(printf '#!/bin/bash\nmscale run -l -- %s\n' "sh -c 'exec $heat \$((256 + 16 * SLURM_PROCID)) $steps 0 1'" |
        submit_as alice -o "$output_file" -N "$2" -n "$ranks" --mscale-contract="ft.every=$1,ft.state=2MiB")
}
has_snapshot_past() { (($(committed_step n1) > $1)); } # STEP

@test "ranks on several nodes save by time at one step, again and again, and go on from there" {
    begin_timed 300ms 3 1
    wait_until "has_snapshot_past 500" 60
    wait_until "has_snapshot_past $(($(committed_step n1) + 500))" 60
    cluster exec n2 pkill -KILL -x heat
    end_job COMPLETED
    says "restart 1 of 10 on the same nodes, going on with step"
    expect_same_heat
    expect_no_new_beginning
}

@test "so do ranks that share one node" {
    begin_timed 300ms 1 2
    wait_until "has_snapshot_past 500" 60
    cluster exec n1 pkill -KILL -x heat -n
    end_job COMPLETED
    expect_same_heat
    expect_no_new_beginning
}
