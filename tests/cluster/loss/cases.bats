# Cases from public reports (tests/fixtures/cases, group C) that are about Slurm.
load ../common
load lost_nodes
load snapshots

setup_file() {
    printf '#!/bin/bash\n[[ ! -e %s/fails.$(hostname) ]]\n' "$BATS_FILE_TMPDIR" >"$BATS_FILE_TMPDIR/prolog"
    chmod 0755 "$BATS_FILE_TMPDIR/prolog"
    start_cluster --nodes 3 --pages 0 --mscale-conf recovery.held_memory=64MiB --mscale-conf daemon.reconcile_interval=3s \
        --slurm-conf "Prolog=$BATS_FILE_TMPDIR/prolog" --slurm-conf PreemptType=preempt/partition_prio --slurm-conf PreemptMode=REQUEUE \
        --slurm-conf "PartitionName=cancels Nodes=ALL PriorityTier=1 PreemptMode=CANCEL"
}
teardown_file() { stop_cluster; }
setup() {
    need_part mscaled spank_mscale job_submit_mscale
    output_file=$base/home/alice/cases.$BATS_TEST_NUMBER.out
}
teardown() {
    rm -f "$BATS_FILE_TMPDIR"/fails.*
    [[ ! -e $base/home/away ]] || mv "$base/home/away" "$base/home/alice"
    for node in $(node_names); do
        [[ $(node_state "$node") != *drain* ]] || as_root scontrol update nodename="$node" state=resume
    done
    expect_nothing_left
}

heat=${BUILD_DIR:-$source_dir/build}/examples/heat
side=256
steps=40000

# A batch job of two ranks that writes to $output_file, whichever run of it.
start_job() { # SBATCH-ARGS...
    job=$(printf '#!/bin/bash\necho run ${SLURM_RESTART_COUNT:-0} begins\nsrun -l %s %s %s\n' "$heat" "$side" "$steps" |
        submit_as alice -o "$output_file" --open-mode=append --mscale-contract=ft.every=100,ft.copies=1,ft.state=1MiB -w n1,n2 -N 2 -n 2 "$@")
}
wait_for_commit() { wait_until "committed=\$(committed_step n1) && ((committed >= $1))" 60; } # STEP
hurry() { hurry_job "$job" "grep -q '^run $1 begins' $output_file" 60; } # RUN
is_held() { [[ $(job_state "$job") == PENDING && $(job_field "$job" Priority) == 0 ]]; }
went_on_after() { (($(grep -oP 'goes on with step \K[0-9]+' "$output_file" | sort -n | head -1) > $1)); } # STEP

@test "C01: a job that is held since a prolog failed keeps its snapshots, says that it waits for an operator, and goes on when it is released" {
    start_job
    wait_for_commit 1000
    touch "$BATS_FILE_TMPDIR/fails.n3" # on n1 and n2 slurmd, which knows the job, runs no prolog again
    as_root scontrol requeue "$job"
    wait_until '[[ $(job_state $job) == PENDING ]]' 20
    as_root scontrol update jobid="$job" reqnodelist=n1,n3
    wait_until "as_root scontrol update jobid=$job starttime=now; is_held" 60
    wait_until "[[ \$(node_state n3) == *drain* ]]" 20 # by Slurm: it is the site's prolog that failed
    wait_until "[[ \$(admin_comment $job) == *'mscale: '*'waits_for=operator'* ]]" 30
    sleep 6 # twice what reconciling takes
    [[ $(committed_step n1) -ge $committed ]]
    rm "$BATS_FILE_TMPDIR/fails.n3"
    as_root scontrol update nodename=n3 state=resume
    as_root scontrol release "$job"
    wait_until "grep -q 'goes on with' $output_file || { as_root scontrol update jobid=$job starttime=now; false; }" 60
    [[ $(admin_comment "$job") != *waits_for* ]] || wait_until "[[ \$(admin_comment $job) != *waits_for* ]]" 20
    wait_for_job "$job" 120
    [[ $(job_state "$job") == COMPLETED ]]
    went_on_after "$committed"
}

@test "C02: a task of an array that a user holds keeps its snapshots too, and says so" {
    start_job --array=3
    wait_for_commit 1000
    as_root scontrol requeuehold "$job"
    wait_until is_held 30
    wait_until "[[ \$(admin_comment $job) == *waits_for=operator* ]]" 30
    [[ $(committed_step n1) -ge $committed ]]
    as_root scancel "$job"
}

@test "C05: the attempts of a job are kept apart in the accounting, and its last state is that of the last one" {
    start_job
    wait_for_commit 1000
    as_root scontrol requeue "$job"
    hurry 1
    wait_for_job "$job" 120
    wait_until "as_root sacct -n -X -P -j $job -o AdminComment | grep -q state=released" 30
    as_root sacct -D -n -X -P -j "$job" -o State,Restarts,AdminComment || as_root sacct -D -n -X -P -j "$job" -o State,AdminComment
    mapfile -t attempts < <(as_root sacct -D -n -X -P -j "$job" -o State,AdminComment)
    [[ ${#attempts[@]} == 2 ]]
    [[ ${attempts[0]} =~ ^(REQUEUED|PREEMPTED|CANCELLED).* && ${attempts[0]} != *state=released* ]]
    [[ ${attempts[1]} == COMPLETED* && ${attempts[1]} == *"mscale: state=released was=honoured"*restarts=1* ]]
    run cluster exec n1 mscale status "$job"
    echo "$output"
    [[ $output == *released* ]]
}

@test "C06: a job that relies on a requeue is told of a partition that cancels what it preempts" {
    run as_alice sbatch -p cancels --hold -N 2 -n 2 --mscale-contract=ft.every=100,ft.copies=1,ft.state=1MiB --wrap true
    expect_text "$output" "partition cancels cancels the jobs that it preempts (PreemptMode=CANCEL)"
}

@test "C28: a job whose user's home has gone is released all the same, and no node is drained" {
    start_job
    wait_for_commit 500
    mv "$base/home/alice" "$base/home/away"
    as_root scancel "$job"
    wait_until "! has_ledger n1 $job && ! has_ledger n2 $job" 40
    expect_node_idle n1 n2
    wait_until 'memory_is_gone n1 n2' 30
}
