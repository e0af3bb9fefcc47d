# `mscale run` on a real Slurm: a step that loses a node or a rank goes on from its snapshots, or stops and says why.
load ../common
load lost_nodes

setup_file() { start_cluster --nodes 4 --pages 0; }
teardown_file() { stop_cluster; }
setup() {
    need_part mscaled spank_mscale job_submit_mscale
    stamper=
}
teardown() {
    [[ -z $stamper ]] || kill "$stamper" 2>/dev/null || true
    bring_back_lost_nodes
    expect_nothing_left
}

heat=${BUILD_DIR:-$source_dir/build}/examples/heat
side=512
steps=8000
contract=ft.every=100,ft.copies=1,ft.state=4MiB,ft.spares=1
# Two nodes may be those that hold a rank's state and its only copy: against two deaths it takes two copies.
two_spares=ft.every=100,ft.copies=2,ft.state=4MiB,ft.spares=2

# The lines of one rank, in order; srun -l puts the rank before each.
lines_of() { grep "^ *$1: $2" "$3" | sed 's/^ *[0-9]*: //'; } # RANK PATTERN FILE

# Submits a script as a job of two ranks; its output goes to $output_file.
begin_job() { # SCRIPT SBATCH-ARGS...
    local script=$1
    shift
    output_file=$base/home/alice/run.$BATS_TEST_NUMBER.out
    job=$(printf '#!/bin/bash\n%s\n' "$script" | submit_as alice -o "$output_file" -N 2 -n 2 --mscale-contract="$contract" "$@")
}
end_job() { # STATE
    wait_for_job "$job" 120 || { grep -v ' step ' "$output_file"; return 1; }
    cat "$output_file"
    [[ $(job_state "$job") == "$1" ]] || { echo "the job is $(job_state "$job")"; return 1; }
}
says() { grep -q "^mscale run: .*$1" "$output_file" || { echo "mscale run didn't say '$1'"; return 1; }; }
says_not() { ! grep "^mscale run: .*$1" "$output_file"; }
is_past() { wait_until "grep -qE 'step $1 ' $output_file" 60; } # STEP

# srun tells the highest code of all ranks, also of one that Slurm ended by SIGTERM since another failed first.
ended_with() { [[ $(job_exit_code "$job") =~ ^($1|143):0$ ]]; } # CODE
failed_as_killed() { [[ $(job_exit_code "$job") =~ ^1(37|43):0$ ]]; }
kill_rank() { cluster exec "$1" pkill "-$2" -x heat; } # NODE SIGNAL

# The rank's program has in its memory what its node held as a copy: nothing was reserved and nothing travelled.
runs_in_its_copy() { cluster exec "$1" sh -c "grep -q 'memfd:mscale-$job-$2-copy' /proc/\$(pgrep -x heat)/maps"; } # NODE RANK

# What an undisturbed plate says, rank by rank equal.
expect_same_heat() {
    local rank
    "$heat" "$side" "$steps" 2>/dev/null >"$BATS_TEST_TMPDIR/wanted"
    for rank in 0 1; do
        lines_of "$rank" step "$output_file" | sort -u -V >"$BATS_TEST_TMPDIR/found"
        diff "$BATS_TEST_TMPDIR/wanted" "$BATS_TEST_TMPDIR/found"
    done
}

# Each line of the output after the time at which it came, until stop_stamps.
start_stamps() {
    (exec tail -n +1 -F "$output_file" 2>/dev/null) > >(while IFS= read -r line; do echo "$EPOCHREALTIME $line"; done >"$BATS_TEST_TMPDIR/stamps" 3>&-) 3>&- &
    stamper=$!
}
stop_stamps() { kill "$stamper" && stamper=; }
# From a moment to the first step after it that both ranks could do.
seconds_to_next_step() { # MOMENT
    awk -v from="$1" '$1 > from && /goes on with step/ { last = $1 } END { printf "%.2f", last - from }' "$BATS_TEST_TMPDIR/stamps"
}

@test "a run without a fault ends 0 and says nothing, and the spare is parked" {
    steps=1000
    begin_job "mscale run -l --verdict=$base/home/alice/verdict.json -- sh -c 'echo \"host \$(hostname)\"; exec $heat $side $steps'"
    end_job COMPLETED
    says_not .
    [[ $(jq -r .verdict "$base/home/alice/verdict.json") == complete ]]
    [[ $(grep -o 'host n[0-9]' "$output_file" | sort | xargs) == "host n1 host n2" ]]
    expect_same_heat
}

@test "a node that dies is replaced by the spare, and the output is that of an undisturbed run" {
    begin_job "mscale run -l --timeline=$base/home/alice/timeline.json -- $heat $side $steps"
    is_past 2000
    start_stamps
    local killed=$EPOCHREALTIME
    kill_node n2
    wait_until "[[ \$(grep -c 'goes on with step' $output_file) == 2 ]]" 60
    runs_in_its_copy n3 1
    end_job COMPLETED
    stop_stamps
    says "n2 was lost at step"
    says "restart 1 of 10 with n3 in place of n2, going on with step"
    says "total .* ms"
    [[ $(grep -c 'goes on with step' "$output_file") == 2 ]]
    expect_same_heat
    grep -q '"lost": "node n2"' "$base/home/alice/timeline.json"
    echo "# kill -> next step: $(seconds_to_next_step "$killed") s" >&3
}

@test "a rank that is killed goes on on the same nodes" {
    begin_job "mscale run -l -- $heat $side $steps"
    is_past 2000
    start_stamps
    local killed=$EPOCHREALTIME
    kill_rank n2 KILL
    end_job COMPLETED
    stop_stamps
    says "the program ended with exit code 1[34][37] (signal .*) at step"
    says "restart 1 of 10 on the same nodes, going on with step"
    expect_same_heat
    echo "# kill -> next step: $(seconds_to_next_step "$killed") s" >&3
}

@test "a program that fails at the same step again is stopped with its own exit code, and no spare is used" {
    begin_job "mscale run -l --verdict=$base/home/alice/verdict.json -- $heat $side 2000 650"
    end_job FAILED
    failed_as_killed
    says "two runs in a row ended at the same step by the program's own fault"
    says "run 2: the program ended with exit code 1[34][37]"
    says_not "in place of"
    grep -q 'goes on with step' "$output_file"
    [[ $(jq -r '.verdict, (.losses | length)' "$base/home/alice/verdict.json" | xargs) == "no_progress 2" ]]
}

@test "a rank that fails by itself ends the others, and its own exit code stays" {
    cat >"$base/home/alice/fails.py" <<'PY'
import os, sys, time, mscale

class State:
    value = 0
    def state_dict(self): return {"value": self.value}
    def load_state_dict(self, state): self.value = state["value"]

@mscale.mscale_contract(every=100)
def train(ctx):
    state = State()
    ctx.register(state=state)
    for step in ctx.steps(1000000):
        state.value = step
        time.sleep(0.01)
        ctx.step_done(step)
        if step >= 250 and os.environ["SLURM_PROCID"] == "1": sys.exit(3)

train()
PY
    begin_job "export PYTHONPATH=$source_dir/python LD_LIBRARY_PATH=${BUILD_DIR:-$source_dir/build}/.libs
        mscale run --max-restarts=0 -- python3 $base/home/alice/fails.py"
    end_job FAILED
    says "the program ended with exit code 3 at step"
    [[ $(job_exit_code "$job") == 3:0 ]]
}

@test "a program that fails at ever later steps is stopped when the restarts are used up" {
    begin_job "mscale run --max-restarts=1 -l -- sh -c 'exec $heat $side $steps \$((650 + SLURM_STEP_ID * 2000))'"
    end_job FAILED
    says "restart 1 of 1 on the same nodes"
    says "stopped after 1 restarts: the restarts are used up"
    failed_as_killed
}

@test "a program that keeps no snapshots isn't begun anew" {
    begin_job "mscale run -- sh -c 'exit 3'"
    end_job FAILED
    says "no rank had registered its state"
    ended_with 3
}

@test "ranks of which one stands still are ended and go on" {
    begin_job "mscale run --hang-limit=6 -l -- $heat $side $steps"
    is_past 2000
    kill_rank n2 STOP
    end_job COMPLETED
    says "the program stood still on n2 at step .*: no progress for"
    expect_same_heat
}

@test "two nodes that die one after the other are replaced by two spares" {
    contract=$two_spares begin_job "mscale run -l -- $heat $side $steps"
    is_past 2000
    kill_node n2
    wait_until "[[ \$(grep -c 'goes on with step' $output_file) == 2 ]]" 60
    kill_node n3
    end_job COMPLETED
    says "restart 1 of 10 with n3 in place of n2"
    says "restart 2 of 10 with n4 in place of n3"
    expect_same_heat
}

@test "a node that dies while its run is launched is replaced too" {
    contract=$two_spares begin_job "mscale run -l -- $heat $side $steps"
    is_past 2000
    kill_node n2
    wait_until "grep -q 'with n3 in place of n2' $output_file" 60
    kill_node n3
    end_job COMPLETED
    says "with n4 in place of n3"
    expect_same_heat
}

@test "a second mscale run beside the first is refused, and one after a killed first is not" {
    begin_job "mscale run -l -N1 -n1 -- $heat $side 1000000 & first=\$!
        until grep -q 'step 100 ' $base/home/alice/run.$BATS_TEST_NUMBER.out; do sleep 0.1; done
        mscale run --overlap -N1 -n1 -- hostname; echo \"second ends with \$?\"
        kill -KILL \$first \$(pgrep -P \$first); wait \$first
        mscale run -N1 -n1 -- hostname; echo \"third ends with \$?\""
    end_job COMPLETED
    grep "MSC-R023: job $job is run by process [0-9]* (mscale run) since" "$output_file"
    grep 'second ends with 1$' "$output_file"
    grep 'third ends with 0$' "$output_file"
}

@test "in salloc it runs on no node of the job, and a lost rank goes on all the same" {
    output_file=$base/home/alice/run.$BATS_TEST_NUMBER.out
    as_alice salloc -N 2 -n 2 --mscale-contract="ft.every=100,ft.copies=1,ft.state=4MiB" \
        bash -c "exec mscale run -l -- $heat $side $steps" >"$output_file" 2>&1 3>&- &
    local salloc=$!
    is_past 2000
    kill_rank n2 KILL
    wait "$salloc" || { grep -v ' step ' "$output_file"; return 1; }
    says "restart 1 of 10 on the same nodes"
    expect_same_heat
}

@test "a refusal that no restart cures ends the run, and is what it blames" {
    contract+=,ft.spill=$base/home/alice/nowhere,ft.resume=2000000 begin_job "mscale run -l --verdict=$base/home/alice/verdict.json -- $heat $side $steps"
    end_job FAILED
    says "ranks were refused, as another run's would be: MSC-R005: ft.resume=2000000: no snapshot of job 2000000"
    says_not "restart [0-9]* of"
    [[ $(job_exit_code "$job") == 1:0 ]]
    [[ $(jq -r '.verdict, .restarts' "$base/home/alice/verdict.json" | xargs) == "refused 0" ]]
}

@test "a launch that waits for a stopped mscaled says so" {
    begin_job "until [[ -e $base/home/alice/go ]]; do sleep 0.1; done; mscale run -l -- $heat $side $steps"
    wait_until "[[ \$(job_state $job) == RUNNING ]]" 30
    cluster exec n2 pkill -STOP -x mscaled
    cluster exec n1 touch "$base/home/alice/go"
    wait_until "says \"the run waits for its ranks on n2: mscaled there wasn't heard for 5 s\"" 30 || stopped=1
    cluster exec n2 pkill -CONT -x mscaled
    [[ -z ${stopped:-} ]]
    end_job COMPLETED
}

@test "without [ft] it is srun, and says so" {
    contract=role.a.cores=1 begin_job "mscale run -l -- sh -c 'echo \"rank \$SLURM_PROCID\"; exit 5'"
    end_job FAILED
    says "the contract of the job has no \[ft\]: this is srun, without restarts"
    [[ $(job_exit_code "$job") == 5:0 ]]
    [[ $(grep -c 'rank [01]' "$output_file") == 2 ]]
}

@test "signals reach the program, and after SIGTERM nothing is begun anew" {
    begin_job "mscale run -l -- bash -c 'trap \"echo one\" USR1; trap \"echo two; exit 7\" TERM; echo ready; while :; do sleep 0.1; done' &
        until [[ \$(grep -c ready $base/home/alice/run.$BATS_TEST_NUMBER.out) == 2 ]]; do sleep 0.1; done
        kill -USR1 \$!; sleep 1; kill -TERM \$!; wait \$!"
    end_job FAILED
    [[ $(grep -c one "$output_file") == 2 && $(grep -c two "$output_file") == 2 ]]
    [[ $(job_exit_code "$job") == 7:0 ]]
    says_not restart
}
