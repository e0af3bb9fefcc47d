# SIGKILL at every point of the protocol (point_table.bash), one after the other, in one long training each: of a rank, of its
# slurmstepd, of mscaled and of the node.  POINTS takes those alone that a regular expression fits.
load ../common
load ../loss/lost_nodes
load ../loss/snapshots
load training
load faults
load points
load point_table

ranks=3

setup_file() {
    start_cluster --nodes 6 --pages 0 --mscale-conf recovery.held_memory=256MiB --mscale-conf recovery.max_down_per_hour=1000 --mscale-conf recovery.set_down=yes \
        --mscale-conf daemon.reconcile_interval=10s --mscale-conf daemon.watch_interval=1s
}
teardown_file() { stop_cluster; }
setup() {
    need_part mscaled spank_mscale job_submit_mscale
    command -v gdb >/dev/null || skip "needs gdb"
    work=$base/home/alice/storm
    rm -rf "$work"
    as_alice mkdir "$work"
}
teardown() {
    mend_nodes
    expect_nothing_left
}

# All points of a table, and the whole training is right.
kill_at_all() { # VICTIM TABLE
    local row
    mapfile -t rows < <("$2" | grep -E "${POINTS:-.}")
    begin_training
    for row in "${rows[@]}"; do
        # shellcheck disable=SC2086
        kill_at "$1" $row
    done
    end_training
    expect_whole_ledger
    wait_until holds_nothing 60
}
keeper_points_of_first() { keeper_points | of_first; }
keeper_points_of_others() { keeper_points | of_others; }

@test "mscaled killed at every point of a save, of a restore and of a leave" { kill_at_all self keeper_points; }
@test "a rank killed at every point of its save, its restore and its leave" { kill_at_all self rank_points; }
@test "a slurmstepd killed at every point of its rank's save, restore and leave" { kill_at_all stepd rank_points; }
@test "a node killed at every point of its rank's save, restore and leave" { kill_at_all node rank_points; }
@test "a node killed at every point of a save, of a restore and of a leave that its mscaled passes" { kill_at_all node keeper_points_of_others; }
@test "the script's own node killed at every point that the coordinator on it passes" { kill_at_all node keeper_points_of_first; }
