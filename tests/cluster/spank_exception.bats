# An exception in a hook: the plugin is loaded with a Slurm whose functions throw where a test says so
# (tests/doubles/throwing_spank.cpp).  No job hangs with nobody behind it, and no node is drained.
load common
load spank

setup_file() {
    local plugin=${BUILD_DIR:-$source_dir/build}/tests/doubles/.libs/spank_throwing.so
    [[ -e $plugin ]] || skip "spank_throwing.so is not built"
    start_spank_cluster --without mscaled --without spank --plugstack "required $plugin config=$conf"
}
teardown_file() { stop_cluster; }
teardown() {
    rm -f "$base/etc/throw"
    expect_nothing_left
}

contract=role.loader.cores=1
throw_in() { echo "$1" >"$base/etc/throw"; } # "CONTEXT FUNCTION"

@test "without a fault the job runs under its contract" {
    run_line 'echo the script ran' --mscale-contract=$contract
    expect_text "$text" "the script ran"
    [ "$(contract_of "$id")" = "$contract" ]
}

@test "an exception in the client's init_post_opt refuses the submission" {
    throw_in "client spank_job_control_unsetenv"
    before=$(job_count)
    for command in "sbatch --wrap true" "srun true" "salloc true"; do
        # shellcheck disable=SC2086
        set -- $command
        run as_alice "$1" --mscale-contract=$contract "${@:2}"
        [ "$status" = 1 ]
        expect_text "$output" "init_post_opt failed inside: boom"
    done
    [ "$(job_count)" = "$before" ]
}

@test "an exception in the client's init leaves the option unknown, and jobs without it run" {
    throw_in "client spank_option_register"
    run as_alice srun --mscale-contract=$contract true
    [ "$status" != 0 ]
    run as_alice srun echo the task ran
    expect_text "$output" "init failed inside: boom" "the task ran"
}

@test "an exception in init on the node changes nothing, since the ledger says what holds" {
    throw_in "remote spank_option_register"
    run_line 'echo the script ran' --mscale-contract=$contract
    [ "$(job_state "$id")" = COMPLETED ]
    expect_text "$text" "the script ran"
}

@test "an exception in init_post_opt on the node refuses the task, not the hook" {
    throw_in "remote spank_get_item"
    run_line 'echo the script ran' --mscale-contract=$contract
    [ "$(job_state "$id")" = FAILED ]
    [[ $text != *"the script ran"* ]]
    expect_text "$text" "task_init_privileged failed inside: boom"
    run as_alice srun --mscale-contract=$contract echo the task ran
    [ "$status" = 1 ]
    [[ $output != *"the task ran"* ]]
    expect_all_idle
}

@test "an exception in task_init_privileged refuses the task" {
    throw_in "remote spank_setenv"
    run_line 'echo the script ran' --mscale-contract=$contract
    [ "$(job_state "$id")" = FAILED ]
    expect_text "$text" "task_init_privileged failed inside: boom"
    expect_all_idle
}

@test "an exception in job_prolog and job_epilog drains no node, and the task is refused" {
    throw_in "script spank_get_item"
    run as_alice srun --mscale-contract=$contract echo the task ran
    [ "$status" = 1 ]
    expect_text "$output" "no ledger"
    expect_all_idle
}

@test "an exception in job_epilog alone leaves the job as it ended" {
    id=$(submit_as alice --mscale-contract=$contract --wrap 'sleep 2')
    wait_until '[[ $(job_state $id) == RUNNING ]]' 20
    throw_in "script spank_get_item"
    wait_for_job "$id"
    [ "$(job_state "$id")" = COMPLETED ]
    expect_all_idle
    node=$(job_field "$id" NodeList)
    rm -f "$base/etc/throw"
    cluster exec "$node" env "SLURM_JOB_ID=$id" "$base/bin/mscale-node" --config "$conf" release
}

@test "the plugin has no hook whose refusal Slurm can't undo" {
    hooks=$(nm -D --defined-only "${BUILD_DIR:-$source_dir/build}/.libs/spank_mscale.so" | awk '$3 ~ /^slurm_spank_/ { print $3 }' | sort)
    [ "$hooks" = "slurm_spank_init
slurm_spank_init_post_opt
slurm_spank_job_epilog
slurm_spank_job_prolog
slurm_spank_task_init
slurm_spank_task_init_privileged" ]
}
