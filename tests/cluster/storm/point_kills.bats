# SIGKILL at every point of the protocol (points.bash), one after the other, in one long training each: of a rank, of its
# slurmstepd, of mscaled and of the node.  POINTS takes those alone that a regular expression fits.
load ../common
load ../loss/lost_nodes
load ../loss/snapshots
load training
load faults
load points

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

@test "mscaled killed at every point of a save and of a restore" { kill_at_all self keeper_points; }
@test "a rank killed at every point of its save" { kill_at_all self client_points; }
@test "a slurmstepd killed at every point of its rank's save" { kill_at_all stepd client_points; }
@test "a node killed at every point of its rank's save" { kill_at_all node client_points; }
@test "a node killed at every point of a save and of a restore that its mscaled passes" { kill_at_all node keeper_points_of_others; }
