# The everyday ends of a job on a real Slurm: preemption, requeue, time limit and signals.  All ranks leave after the same step,
# which is saved, and the next run goes on with the step after it.  EVERYDAY_PROCTRACK=proctrack/cgroup, as most sites have it,
# needs the freezer of cgroup v1.
load ../common
load snapshots

setup_file() {
    start_cluster --nodes 3 --pages 0 --mscale-conf recovery.held_memory=64MiB --slurm-conf KillWait=20 \
        --slurm-conf "ProctrackType=${EVERYDAY_PROCTRACK:-proctrack/linuxproc}" \
        --slurm-conf PreemptType=preempt/partition_prio --slurm-conf PreemptMode=REQUEUE \
        --slurm-conf "PartitionName=low Nodes=ALL PriorityTier=1 GraceTime=30" \
        --slurm-conf "PartitionName=nograce Nodes=ALL PriorityTier=1" \
        --slurm-conf "PartitionName=high Nodes=ALL PriorityTier=10"
}
teardown_file() { stop_cluster; }
setup() {
    need_part mscaled spank_mscale job_submit_mscale
    output_file=$base/home/alice/everyday.$BATS_TEST_NUMBER.out
    rm -f "$output_file"
}
teardown() { expect_nothing_left; }

heat=${BUILD_DIR:-$source_dir/build}/examples/heat
side=256
steps=60000
contract=ft.every=100,ft.copies=1,ft.state=1MiB

# A batch job of two ranks whose script is LINE; its output goes to $output_file, whichever run of it; `job` is its number.  The
# trap keeps the shell, and with it the output, where a plugin as proctrack/cgroup signals the shell alone.
start_job() { # LINE SBATCH-ARGS...
    local line=$1
    shift
    job=$(printf '#!/bin/bash\ntrap : TERM\necho "run ${SLURM_RESTART_COUNT:-0} begins"\n%s\necho "run ${SLURM_RESTART_COUNT:-0} ends with $?"\n' "$line" |
        submit_as alice -o "$output_file" --open-mode=append --mscale-contract="$contract" -w n1,n2 -N 2 -n 2 "$@")
}
supervised() { echo "mscale run -l -- $heat $side $steps"; }
plain() { echo "srun -l $heat $side $steps"; }
endless=1000000000

# A snapshot of at least this step is committed for both ranks.
wait_for_commit() { # STEP
    wait_until "committed=\$(committed_step n1) && ((committed >= $1))" 60
}
preempt() { preemptor=$(submit_as bob -p high -w n1,n2 -N 2 --exclusive -o /dev/null --wrap 'sleep 1'); }
hurry() { hurry_job "$job" "grep -q '^run 1 begins' $output_file" 60; }
# The last step of the first run, as mscaled tells it.
last_step() { grep -ohP "job $job is to end .*: its ranks leave after step \K[0-9]+" "$base"/log/n?.mscaled.out | sort -u; }
says() { grep -q "^mscale run: .*$1" "$output_file" || { grep -v ': step ' "$output_file"; return 1; }; }

# All ranks left after one step, and the next run of the job begins with the step after it and ends as an undisturbed one.
expect_went_on() {
    wait_for_job "$job" 150
    grep -v ': step ' "$output_file"
    [[ $(job_state "$job") == COMPLETED ]] || { echo "the job is $(job_state "$job")"; return 1; }
    expect_resumed_at_once
    expect_same_heat
}
expect_resumed_at_once() {
    [[ $(last_step | wc -l) == 1 ]] || { echo "last steps: $(last_step)"; return 1; }
    [[ $(grep -oP 'goes on with step \K[0-9]+$' "$output_file" | sort -u) == $(($(last_step) + 1)) ]] ||
        { echo "the last step was $(last_step)"; return 1; }
}
# No rank tells a step twice with two values, and none is missing.
expect_same_heat() {
    local rank
    "$heat" "$side" "$steps" 2>/dev/null >"$BATS_TEST_TMPDIR/wanted"
    for rank in 0 1; do
        grep "^$rank: step" "$output_file" | sed 's/^[0-9]: //' >"$BATS_TEST_TMPDIR/found"
        [[ $(sort -u "$BATS_TEST_TMPDIR/found" | wc -l) == $(wc -l <"$BATS_TEST_TMPDIR/found") ]] || { echo "rank $rank did a step twice"; return 1; }
        diff "$BATS_TEST_TMPDIR/wanted" <(sort -V "$BATS_TEST_TMPDIR/found") >&2
    done
}

@test "a rank that is killed comes back at once: the others, which take SIGTERM for a notice, don't wait for KillWait" {
    start_job "$(supervised)"
    wait_for_commit 1000
    local killed=$EPOCHREALTIME
    cluster exec n2 pkill -KILL -x heat
    wait_until "[[ \$(grep -c 'goes on with step' $output_file) == 2 ]]" 15 # of KillWait's 20
    echo "# kill -> next step: $(awk -v a="$killed" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }') s" >&3
    says "restart 1 of 10 on the same nodes"
    as_root scancel "$job"
    wait_for_job "$job" 60
}

@test "a requeued job loses no step: its ranks save the step that they are at, and the next run goes on after it" {
    start_job "$(supervised)"
    wait_for_commit 1000
    as_root scontrol requeue "$job"
    hurry
    expect_went_on
}

@test "mscale run says why it was told to end and what the next run goes on with" {
    start_job "exec $(supervised)"
    wait_for_commit 1000
    as_root scontrol requeue "$job"
    hurry
    says "told to end by SIGTERM (requeue): all ranks left after step $(last_step), which is committed; the job is requeued and goes on with step $(($(last_step) + 1))"
    expect_went_on
}

@test "without mscale run a requeued job goes on after its last step too" {
    start_job "$(plain)"
    wait_for_commit 1000
    as_root scontrol requeue "$job"
    hurry
    expect_went_on
}

@test "a job that is preempted with time to end leaves at once, is requeued and goes on" {
    start_job "$(supervised)" -p low
    wait_for_commit 1000
    preempt
    wait_until "says 'told to end by SIGTERM (preemption): all ranks left after step'" 20
    hurry
    expect_went_on
    [[ $(job_state "$preemptor") == COMPLETED ]]
}

@test "without mscale run a job that is preempted with time to end is requeued, too, and goes on" {
    start_job "$(plain)" -p low
    wait_for_commit 1000
    preempt
    hurry
    expect_went_on
    grep -q "job $job is preempted, has saved and is requeued" "$base"/log/n1.mscaled.out
}

@test "a job that is preempted without a grace time saves within KillWait and goes on" {
    start_job "$(supervised)" -p nograce
    wait_for_commit 1000
    preempt
    hurry
    expect_went_on
}

@test "at its time limit a job has saved its last step" {
    steps=$endless
    start_job "$(supervised)" -t 1
    wait_for_job "$job" 150
    [[ $(job_state "$job") == TIMEOUT ]]
    [[ $(last_step | wc -l) == 1 ]]
    says "told to end by SIGTERM (time limit): all ranks left after step $(last_step), which is committed; the job's next run goes on with step $(($(last_step) + 1))"
}

@test "the signal that the user asked for before the time limit ends the run, which says that it isn't done" {
    steps=$endless
    start_job "$(supervised)" -t 1 --signal=USR1@50
    wait_for_job "$job" 90
    says "told to end by SIGUSR1: all ranks left after step $(last_step), which is committed"
    grep "run 0 ends with 75" "$output_file"
    [[ $(job_state "$job") == COMPLETED ]]
}

@test "a signal to the batch script alone reaches the ranks by mscale run" {
    steps=$endless
    start_job "exec $(supervised)"
    wait_for_commit 1000
    as_root scancel --batch --signal=USR2 "$job"
    wait_for_job "$job" 60
    says "SIGUSR2: the ranks are told to save and to leave"
    says "told to end by SIGUSR2: all ranks left after step $(last_step), which is committed; the job's next run goes on with"
    [[ $(job_exit_code "$job") == 75:0 ]]
}

@test "a signal in the middle of a save tears nothing, and the run goes on after the step that all agreed on" {
    contract=ft.every=1,ft.copies=1,ft.state=1MiB
    start_job "$(supervised)"
    wait_for_commit 300
    as_root scontrol requeue "$job"
    hurry
    expect_went_on
}

@test "three requeues in a row lose and repeat no step" {
    start_job "$(supervised)"
    for run in 0 1 2; do
        wait_until "grep -q '^run $run begins' $output_file" 60
        before=$(grep -c '^0: step' "$output_file" || true)
        wait_until "(( \$(grep -c '^0: step' $output_file) > $before + 5 ))" 60
        as_root scontrol requeue "$job"
        hurry_job "$job" "grep -q '^run $((run + 1)) begins' $output_file" 60
    done
    wait_for_job "$job" 150
    [[ $(job_state "$job") == COMPLETED ]]
    expect_same_heat
}
