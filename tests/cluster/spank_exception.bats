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
teardown() { rm -f "$base/etc/throw" && expect_nothing_left; }

contract=role.loader.cores=1
throw_in() { echo "$1" >"$base/etc/throw"; } # "CONTEXT FUNCTION"

@test "without a fault the job runs under its contract" {
    run_line 'echo the script ran' --mscale-contract=$contract
    expect_text "$text" "the script ran"
    [ "$(contract_of "$id")" = "$contract" ]
}

@test "an exception in the client's init_post_opt refuses the submission" {
    throw_in "client spank_job_control_unsetenv"
    before=$(newest_job)
    for command in "sbatch --wrap true" "srun true" "salloc true"; do
        # shellcheck disable=SC2086
        set -- $command
        run as_alice "$1" --mscale-contract=$contract "${@:2}"
        [ "$status" = 1 ]
        expect_text "$output" "init_post_opt failed inside: boom"
    done
    [ "$(newest_job)" = "$before" ]
}

@test "an exception in the option's callback of the client refuses the submission" {
    throw_in "client option"
    before=$(newest_job)
    for command in "sbatch --wrap true" "srun true" "salloc true"; do
        # shellcheck disable=SC2086
        set -- $command
        run as_alice "$1" --mscale-contract=$contract "${@:2}"
        [[ $status == 1 || $status == 255 ]]
        expect_text "$output" "the option failed inside: std::bad_alloc"
    done
    [ "$(newest_job)" = "$before" ]
}

@test "an exception in the client's init leaves the option unknown, and jobs without it run" {
    throw_in "client spank_option_register"
    before=$(newest_job)
    for command in "sbatch --wrap true" "srun true" "salloc true"; do
        # shellcheck disable=SC2086
        set -- $command
        run as_alice "$1" --mscale-contract=$contract "${@:2}"
        [ "$status" != 0 ]
        expect_text "$output" "mscale-contract"
    done
    [ "$(newest_job)" = "$before" ]
    run as_alice srun echo the task ran
    expect_text "$output" "init failed inside: boom" "the task ran"
    run as_alice sbatch --wait --wrap true
    [ "$status" = 0 ]
    expect_text "$output" "init failed inside: boom"
}

# The job ran and its task has the place that its contract promises.
expect_honoured() {
    expect_completed "$id"
    expect_text "$text" "the script ran" "MSCALE_JOB=$id" "MSCALE_ROLE_LOADER_CPUS="
    [ "$(contract_of "$id")" = "$contract" ]
}

@test "an exception in init on the node drops no contract, since the ledger says what holds" {
    throw_in "remote spank_option_register"
    run_line 'echo the script ran; env | grep ^MSCALE' --mscale-contract=$contract
    expect_honoured
    run as_alice srun --mscale-contract=$contract env
    [ "$status" = 0 ]
    expect_text "$output" "MSCALE_ROLE_LOADER_CPUS="
}

@test "memory that runs out in the option's callback on the node drops no contract" {
    throw_in "remote option"
    run_line 'echo the script ran; env | grep ^MSCALE' --mscale-contract=$contract
    expect_honoured
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

# A batch job and an srun are refused with this text, and nothing of them runs: expect_both_refused TEXT
expect_both_refused() {
    run_line 'echo the script ran' --mscale-contract=$contract
    [ "$(job_state "$id")" = FAILED ]
    expect_text "$text" "$1"
    [[ $text != *"the script ran"* ]] || return 1
    run as_alice srun --mscale-contract=$contract echo the task ran
    [ "$status" = 1 ]
    expect_text "$output" "$1"
    [[ $output != *"the task ran"* ]] || return 1
    expect_all_idle
}

@test "an exception in task_init_privileged refuses the task" {
    throw_in "remote spank_setenv"
    expect_both_refused "task_init_privileged failed inside: boom"
}

@test "an exception in task_init refuses the task" {
    throw_in "remote task_init"
    expect_both_refused "task_init failed inside: std::bad_alloc"
}

@test "a task that can't be bound in task_init is refused with the reason" {
    throw_in "remote sched_setaffinity"
    expect_both_refused "isn't honoured on this node"
}

@test "an exception in job_prolog and job_epilog drains no node, and the task is refused" {
    throw_in "script spank_get_item"
    expect_both_refused "no ledger"
    node=$(job_field "$id" NodeList)
    grep -q "job_prolog failed inside: boom" "$base/log/$node.slurmd.log"
}

@test "an exception in job_epilog alone leaves the job as it ended" {
    id=$(submit_as alice --mscale-contract=$contract --wrap 'sleep 2')
    wait_until '[[ $(job_state $id) == RUNNING ]]' 20
    throw_in "script spank_get_item"
    node=$(job_field "$id" NodeList)
    logged=$(grep -c "job_epilog failed inside: boom" "$base/log/$node.slurmd.log") || true
    wait_for_job "$id"
    [ "$(job_state "$id")" = COMPLETED ]
    expect_all_idle
    [ "$(grep -c "job_epilog failed inside: boom" "$base/log/$node.slurmd.log")" -gt "$logged" ]
    has_ledger "$node" "$id"
    rm -f "$base/etc/throw"
    cluster exec "$node" "$base/bin/mscale-node" --config "$conf" reconcile # as mscaled does from time to time
    ! has_ledger "$node" "$id"
}

@test "a crash of the plugin in the client submits nothing" {
    throw_in "client spank_job_control_unsetenv crash"
    before=$(newest_job)
    for command in "sbatch --wrap true" "srun true" "salloc true"; do
        # shellcheck disable=SC2086
        set -- $command
        run as_alice "$1" --mscale-contract=$contract "${@:2}"
        [ "$status" = 139 ]
    done
    [ "$(newest_job)" = "$before" ]
}

@test "a crash of the plugin in task_init_privileged fails the task alone" {
    throw_in "remote spank_setenv crash"
    run_line 'echo the script ran' --mscale-contract=$contract
    [ "$(job_state "$id")" = FAILED ]
    [[ $text != *"the script ran"* ]]
    run as_alice srun --mscale-contract=$contract echo the task ran
    [ "$status" != 0 ]
    [[ $output != *"the task ran"* ]]
    expect_all_idle
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
