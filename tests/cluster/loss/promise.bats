# A promise that nobody keeps: a contract with [ft] whose program saves nothing is told so, and is not ended for it.
load ../common

setup_file() { start_cluster --nodes 2 --pages 0; }
teardown_file() { stop_cluster; }
setup() { need_part mscaled spank_mscale job_submit_mscale; }
teardown() { expect_nothing_left; }

heat=${BUILD_DIR:-$source_dir/build}/examples/heat

is_breached() { [[ $(admin_comment "$1") == *"state=breached code=MSC-R017 reason=$2"* ]]; }
submit_with() { submit_as alice -o /dev/null --mscale-contract="$1" "${@:3}" --wrap "$2"; } # CONTRACT COMMAND SBATCH-ARGS...

@test "a program that registers nothing is named after ft.first_save, with the lines that cure it, and goes on" {
    job=$(submit_with ft.every=100,ft.copies=1,ft.first_save=5s "srun sleep 30" -N 2 -n 2)
    wait_until "[[ \$(contract_state $job) == honoured ]]" 20
    wait_until "is_breached $job no_rank_has_registered_state" 20
    run cluster exec n1 mscale status "$job"
    echo "$output"
    expect_text "$output" "MSC-R017: no rank has registered state" "@mscale.mscale_contract" "ctx.register(model=model" \
        "for step in ctx.steps(total):"
    [[ $(job_state "$job") == RUNNING ]]
}

@test "a program that registers nothing is named when its first step ends" {
    job=$(submit_with ft.every=100,ft.copies=1 "srun true; sleep 30" -N 2 -n 2)
    wait_until "is_breached $job no_rank_has_registered_state" 20
    [[ $(job_state "$job") == RUNNING ]]
}

@test "a job that is over before anybody looks leaves the breach behind" {
    job=$(submit_with ft.every=100 "srun true" -N 1 -n 1)
    wait_for_job "$job"
    wait_until "as_root sacct -n -P -j $job -o AdminComment | grep -q 'state=breached code=MSC-R017'" 30
    [[ $(job_state "$job") == COMPLETED ]]
}

@test "a rank that registers and saves nothing is named" {
    job=$(submit_with ft.every=1000000000,ft.state=4MiB,ft.first_save=5s "srun $heat 512 200000" -N 1 -n 1)
    wait_until "is_breached $job a_rank_has_saved_nothing" 30
}

@test "a first step that prepares the ground is forgiven as soon as the training registers its state" {
    job=$(submit_with ft.every=100,ft.copies=1,ft.state=4MiB "srun true; sleep 5; srun $heat 512 200000" -N 2 -n 2)
    wait_until "is_breached $job no_rank_has_registered_state" 20
    wait_until "[[ \$(contract_state $job) == honoured ]]" 30
}
