# Jobs that Slurm runs again: their snapshots outlive the run, on its nodes and on others.
load ../common
load lost_nodes
load snapshots

setup_file() { start_cluster --nodes 4 --pages 0 --mscale-conf recovery.held_memory=64MiB --mscale-conf recovery.max_down_per_hour=20 --mscale-conf recovery.end_wait=no; }
teardown_file() { stop_cluster; }
setup() {
    need_part mscaled spank_mscale job_submit_mscale
    output_file=$base/home/alice/requeue.$BATS_TEST_NUMBER.out
}
teardown() {
    set_policy end_wait no
    bring_back_lost_nodes && expect_nothing_left
}

heat=${BUILD_DIR:-$source_dir/build}/examples/heat
side=256
steps=60000
contract=ft.every=100,ft.copies=1,ft.state=1MiB

# A batch job of two ranks that writes to $output_file, whichever run of it; `job` is its number.
start_job() { # SBATCH-ARGS...
    job=$(printf '#!/bin/bash\necho run ${SLURM_RESTART_COUNT:-0} on $(scontrol show hostnames)\nsrun -l %s %s %s\n' "$heat" "$side" "$steps" |
        submit_as alice -o "$output_file" --open-mode=append --mscale-contract="$contract" -N 2 -n 2 "$@")
}
# Both ranks have passed a step.
wait_for_step() { # STEP
    wait_until "grep -q '^0: step $1 ' $output_file && grep -q '^1: step $1 ' $output_file" 60
}
hurry() { hurry_job "$1" "grep -q '^run 1 on' $output_file" 40; } # JOB
expect_same_heat() {
    local rank
    "$heat" "$side" "$steps" 2>/dev/null >"$BATS_TEST_TMPDIR/wanted"
    for rank in 0 1; do
        grep "^$rank: step" "$output_file" | sed 's/^[0-9]: //' | sort -u -V >"$BATS_TEST_TMPDIR/found"
        diff "$BATS_TEST_TMPDIR/wanted" "$BATS_TEST_TMPDIR/found" >&2
    done
}
# A snapshot of at least this step is committed for both ranks; $committed is which.
wait_for_commit() { # STEP
    wait_until "committed=\$(committed_step n1) && ((committed >= $1))" 60
}
# The job ended well, and its second run went on from nothing older than what was committed when it was disturbed.
expect_went_on() {
    grep -v ': step ' "$output_file"
    expect_completed "$job" && [[ $(grep -c 'goes on with step' "$output_file") == 2 ]] &&
        (($(grep -oP 'goes on with step \K[0-9]+' "$output_file" | head -1) > committed)) && expect_same_heat
}
expect_completed() { [[ $(job_state "$1") == COMPLETED ]] || { echo "job $1 is $(job_state "$1")"; return 1; }; }
# Snapshots that any process of a node has in memory.
count_snapshots() { cluster exec "$1" sh -c 'ls -l /proc/[0-9]*/fd 2>/dev/null | grep -c memfd:mscale-' || true; }

@test "a requeued job goes on from its last commit on the same nodes, where no prolog runs again" {
    start_job -w n1,n2
    wait_for_commit 1000
    as_root scontrol requeue "$job"
    hurry "$job"
    wait_for_job "$job" 120
    expect_went_on
    grep "run 1 on n1 n2" "$output_file"
}

@test "a requeued job goes on from its last commit on other nodes, and leaves nothing on the old ones" {
    start_job -w n1,n2
    wait_for_commit 1000
    as_root scontrol requeue "$job"
    wait_until '[[ $(job_state $job) == PENDING ]]' 20
    as_root scontrol update jobid="$job" reqnodelist=n3,n4
    hurry "$job"
    wait_until "grep -q 'goes on' $output_file" 40
    wait_until '[[ $(count_snapshots n1) == 0 && $(count_snapshots n2) == 0 ]]' 20
    wait_for_job "$job" 120
    expect_went_on
    grep "run 1 on n3 n4" "$output_file"
}

@test "what is kept of a job goes when the job is cancelled while it waits" {
    start_job -w n1,n2
    wait_for_step 1000
    as_root scontrol requeue "$job"
    wait_until '[[ $(job_state $job) == PENDING ]]' 20
    [[ $(count_snapshots n1) != 0 && -e $base/nodes/n1/mscale/again/$job.json ]]
    as_root scancel "$job"
    wait_until '[[ $(count_snapshots n1) == 0 && ! -e $base/nodes/n1/mscale/again/$job.json ]]' 90
}

# Without a word of anybody the job begins again and goes on, which mscaled of WITNESS has seen to.
lose_node() { # NODE WITNESS ITS-WORDS
    wait_for_commit 1000
    local killed=$EPOCHREALTIME
    kill_node "$1"
    wait_until "[[ \$(grep -c 'goes on with step' $output_file) == 2 ]]" 60
    took=$(awk -v a="$killed" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
    echo "# kill of $1 -> next step: $took s" >&3
    wait_for_job "$job" 120
    expect_went_on
    grep -q "job $job has lost a node and $3" "$base/log/$2.mscaled.out"
}

# By Slurm's own rules the job would wait two minutes, since the old run's credential could still be used.
@test "a job that loses a node begins again at once, by itself" {
    start_job
    lose_node n2 n1 "may begin again at once"
}

@test "a job that loses its batch host begins again at once on other nodes" {
    start_job
    lose_node n1 n2 "may begin again at once"
}

# A job of somebody else that shares n2 and has its own srun.
start_neighbour() {
    neighbour=$(submit_as bob -o /dev/null -w n2,n3 -N 2 -n 2 --wrap 'srun sleep 20')
    wait_until '[[ $(job_state $neighbour) == RUNNING ]]' 20
}
unreachable_on() { cluster exec "$1" ip route show type unreachable; } # NODE
log_has() { grep -q "job $job: $2" "$base/log/$1.mscaled.out"; }       # NODE TEXT

@test "where the site ends the wait of its stepds, a job that loses its batch host goes on within seconds" {
    set_policy end_wait tasks
    start_job
    start_neighbour
    lose_node n1 n2 "may begin again at once"
    wait_until 'log_has n2 "[1-9][0-9]* connections of its slurmstepd to n1, which is dead, were ended"' 10
    expect_less_than_the_wait
    wait_for_job "$neighbour" 60
    expect_completed "$neighbour" # its stepds on n2 kept their connections
}

@test "or makes the dead host unreachable, until the job has left the node" {
    set_policy end_wait route
    start_job
    lose_node n1 n2 "may begin again at once"
    log_has n2 "n1 (10.77.0.11), which is dead, is unreachable by a route"
    expect_less_than_the_wait
    [[ -z $(unreachable_on n2) && -z $(unreachable_on n3) ]]
}
# The stepds' own patience is some 15 s.
expect_less_than_the_wait() { awk -v took="$took" 'BEGIN { exit !(took < 13) }' || { echo "it took $took s"; return 1; }; }

@test "a route that a killed mscaled left is removed by the next" {
    cluster exec n2 ip route add unreachable 10.9.9.9 proto 109
    cluster restart n2 mscaled
    wait_until '[[ -z $(unreachable_on n2) ]]' 30
}

@test "a job that goes on without its batch host for Slurm is requeued" {
    start_job --no-kill
    lose_node n1 n2 "is requeued"
}

# Nothing is left that knows of the snapshot but slurmctld.
@test "a job whose snapshots all died with their nodes doesn't begin anew, and says why" {
    start_job
    wait_for_step 3000
    wait_until "as_root scontrol show job $job | grep -q 'AdminComment=.*snapshot=[0-9]'" 20
    as_root scontrol hold "$job" || true
    as_root scontrol requeue "$job"
    wait_until '[[ $(job_state $job) == PENDING ]] && ! has_ledger n1 $job && ! has_ledger n2 $job' 40
    kill_node n1
    kill_node n2
    as_root scontrol update nodename=n1,n2 state=down reason=test # no job holds them, so that nobody notices
    as_root scontrol release "$job"
    hurry "$job"
    wait_for_job "$job" 60
    grep -v ': step ' "$output_file"
    [[ $(job_state "$job") == FAILED ]]
    grep "MSC-R.*an earlier run of the job had a snapshot, of step [0-9]* or later, and no node has it any more" "$output_file"
    [[ $(grep -c '^0: step 100 ' "$output_file") == 1 ]] # of the first run alone
}
