# Snapshots on a real Slurm: saved by a C program, copied to other nodes by mscaled, brought back for the next step of the job.
load common

setup_file() { start_cluster --nodes 3; }
teardown_file() { stop_cluster; }
setup() { need_part mscaled spank_mscale job_submit_mscale; }
teardown() { expect_nothing_left; }

heat=${BUILD_DIR:-$source_dir/build}/examples/heat
side=512
contract=ft.every=100,ft.copies=1,ft.state=4MiB

# The lines of one rank, in order; srun -l puts the rank before each.
lines_of() { grep "^ *$1: $2" "$3" | sed 's/^ *[0-9]*: //'; } # RANK PATTERN FILE

# Runs a script as a job with the contract and waits for its end; its output is in $output_file.
run_job() { # SCRIPT SBATCH-ARGS...
    local script=$1
    shift
    output_file=$base/home/alice/recovery.$BATS_TEST_NUMBER.out
    job=$(printf '#!/bin/bash\n%s\n' "$script" | submit_as alice -o "$output_file" --mscale-contract="$contract" "$@")
    wait_for_job "$job" 120
    cat "$output_file"
}

# What an undisturbed plate says, rank by rank equal.
expect_same_heat() { # FILE OF A RUN THAT WENT ON
    local rank
    "$heat" "$side" 1000 2>/dev/null >"$BATS_TEST_TMPDIR/wanted"
    for rank in 0 1; do
        lines_of "$rank" step "$1" | sort -u -V >"$BATS_TEST_TMPDIR/found"
        diff "$BATS_TEST_TMPDIR/wanted" "$BATS_TEST_TMPDIR/found"
    done
}

@test "a step whose ranks were killed goes on from the last committed step" {
    run_job "srun -l $heat $side 1000 650; srun -l $heat $side 1000" -N 2 -n 2
    grep -qE '^ *0: goes on with step [2-6]01' "$output_file"
    [[ $(grep -c 'goes on with step' "$output_file") == 2 ]]
    expect_same_heat "$output_file"
}

@test "all ranks go on with the same step" {
    run_job "srun -l $heat $side 1000 650; srun -l $heat $side 1000" -N 3 -n 3
    [[ $(grep -o 'goes on with step .*' "$output_file" | sort -u | wc -l) == 1 ]]
}

@test "a rank that comes to another node gets its snapshot from the node that holds it" {
    run_job "srun -l $heat $side 1000 650
             nodes=(\$(scontrol show hostnames)); printf '%s\n' \"\${nodes[1]}\" \"\${nodes[0]}\" >hosts.\$SLURM_JOB_ID
             SLURM_HOSTFILE=hosts.\$SLURM_JOB_ID srun -l --distribution=arbitrary -n 2 $heat $side 1000" -N 2 -n 2 -D "$base/home/alice"
    [[ $(grep -c 'goes on with step' "$output_file") == 2 ]]
    expect_same_heat "$output_file"
}

@test "after the death of a node its rank goes on from the copy on another node" {
    local output=$base/home/alice/recovery.$BATS_TEST_NUMBER.out
    contract=$contract,ft.spares=1 run_job "mscale run -l -- $heat $side 8000" -N 2 -n 2 &
    wait_until "grep -q 'step 2000 ' $output" 60
    cluster kill n2
    wait
    [[ $(grep -c 'goes on with step' "$output") == 2 ]]
    cluster start n2
    as_root scontrol update nodename=n2 state=resume || [[ $(node_state n2) == idle ]]
}
