# job_submit_mscale.so with the controller started again, beside another plugin, and not there at all.
load common
load submit

setup_file() { start_submit_cluster; }
teardown_file() { stop_cluster; }
teardown() {
    use_plugins mscale && expect_nothing_left
}

# Restarts slurmctld with these JobSubmitPlugins, or with none.
use_plugins() {
    local line=${1:+JobSubmitPlugins=$1}
    grep -qx "${line:=#JobSubmitPlugins=}" "$base/etc/slurm.conf" && return
    sed -i "s/^#*JobSubmitPlugins=.*/$line/" "$base/etc/slurm.conf"
    restart_controller
}
restart_slurmctld() {
    cluster restart ctl slurmctld
    wait_until 'as_root scontrol ping | grep -q "is UP"' 30
}
restart_controller() { restart_slurmctld && expect_all_idle; }

# The fields of a job but for its number and its times.
fields() { # JOB
    as_root scontrol -o show job "$1" | tr ' ' '\n' |
        grep -vE '^(JobId|SubmitTime|EligibleTime|AccrueTime|LastSchedEval|Priority)='
}

@test "a job without a contract is the same with the plugin and without it" {
    ask=(submit_as alice -H -N2 -n4 -c 1 --gres=sm:2 --comment mine --exclude n3 --requeue -o /dev/null --wrap true)
    fields "$("${ask[@]}")" >"$BATS_TEST_TMPDIR/with"
    use_plugins ""
    fields "$("${ask[@]}")" >"$BATS_TEST_TMPDIR/without"
    diff "$BATS_TEST_TMPDIR/with" "$BATS_TEST_TMPDIR/without"
}

@test "the verified text, the slices and the guard outlive a restart of the controller" {
    id=$(submit_as alice -H --mscale-contract=role.loader.cores=1,gpu.sm=16 --wrap true)
    restart_controller
    [ "$(job_field "$id" TresPerNode)" = gres:sm:2 ]
    run as_alice scontrol update jobid="$id" gres=
    [ "$status" != 0 ]
    as_alice scontrol release "$id"
    wait_for_job "$id"
    expect_text "$(verified_text "$id")" '"contract":"gpu.sm=16,role.loader.cores=1"'
    [ "$(job_state "$id")" = COMPLETED ]
}

@test "the slices of a running job are the same after a restart of the controller, and no other job's" {
    id=$(submit_as alice -w n1 --mscale-contract=gpu.sm=16 --wrap "sleep 60")
    wait_until '[[ $(job_state $id) == RUNNING ]]' 20
    restart_slurmctld
    wait_until '[[ $(node_state n1) == mixed ]]' 20
    expect_text "$(as_root scontrol -d -o show job "$id")" "sm:h100:2(IDX:0-1)"
    other=$(submit_as alice -w n1 --mscale-contract=gpu.sm=16 --wrap "sleep 60")
    wait_until '[[ $(job_state $other) == RUNNING ]]' 20
    expect_text "$(as_root scontrol -d -o show job "$other")" "sm:h100:2(IDX:2-3)"
}

@test "without PrologFlags=Alloc doctor says so, and no task runs where the contract didn't come" {
    sed -i '/^PrologFlags=/s/^/#/' "$base/etc/slurm.conf"
    restart_controller
    for node in n1 n2 n3; do cluster restart "$node" slurmd; done
    expect_all_idle
    run as_root mscale doctor
    id=$(submit_as alice -w n1,n2 -o "$base/home/alice/alloc.txt" --mscale-contract=role.loader.cores=1 \
        --wrap 'srun bash -c "echo \$(hostname) has \${MSCALE_ROLES-none}"')
    wait_for_job "$id"
    sed -i 's/^#PrologFlags=/PrologFlags=/' "$base/etc/slurm.conf"
    restart_controller
    for node in n1 n2 n3; do cluster restart "$node" slurmd; done
    expect_text "$output" "PrologFlags" "Alloc is missing"
    [ -e "$base/home/alice/alloc.txt" ]
    [[ $(<"$base/home/alice/alloc.txt") != *"has none"* ]]
}

@test "the AdminComment of another plugin is kept" {
    cat >"$base/etc/job_submit.lua" <<'LUA'
function slurm_job_submit(job, partitions, uid)
    job.admin_comment = "billing: 42"
    return slurm.SUCCESS
end
function slurm_job_modify(job, record, partitions, uid) return slurm.SUCCESS end
LUA
    use_plugins lua,mscale
    id=$(submit_as alice -H --mscale-contract=role.loader.cores=1 --wrap true)
    expect_text "$(admin_comment "$id")" "billing: 42; mscale: state=accepted"
}

@test "without an inventory a contract is refused, and other jobs are not" {
    mv "$base/etc/mscale/inventory" "$base/etc/mscale/inventory.kept"
    restart_controller
    run as_alice sbatch --mscale-contract=role.loader.cores=1 --wrap true
    mv "$base/etc/mscale/inventory.kept" "$base/etc/mscale/inventory"
    [ "$status" = 1 ]
    expect_text "$output" "the controller can't judge it" "MSC-C004"
    submit_as alice -H --wrap true
    submit_as alice -H --mscale-contract=role.loader.cores=1 --wrap true
}

@test "without munge no contract is taken, and the user is told why" {
    sed -i 's|^socket = .*|socket = /tmp/no-such-socket|' "$conf"
    run as_alice sbatch --mscale-contract=role.loader.cores=1 --wrap true
    set_mode enforce
    [ "$status" = 1 ]
    expect_text "$output" "MSC-N003" "munge makes no credential"
}
