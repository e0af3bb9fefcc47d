# The node's side of the plugin: whatever goes wrong there, only the task fails, its output says why, and the node stays idle.
load common
load spank

setup_file() { start_spank_cluster --without mscaled; }
teardown_file() { stop_cluster; }
teardown() { behave_well && expect_nothing_left; }

contract=role.loader.cores=1

# A batch job and an srun with the fault; every word must be in both outputs: refuse_both VERB FAULT TEXT...
refuse_both() {
    behave "$1" "$2"
    shift 2
    run_line 'echo the script ran' --mscale-contract=$contract
    expect_refused_on_node "$@"
    run as_alice srun --mscale-contract=$contract echo the task ran
    [ "$status" = 1 ]
    expect_text "$output" "isn't honoured" "$@"
    [[ $output != *"the task ran"* ]]
    expect_all_idle
}

@test "a task is bound to its cores and told its roles' places" {
    run_line 'env | grep MSCALE_; grep Cpus_allowed_list /proc/self/status; srun env' --mscale-contract=$contract,role.loader.hugepages=2MiB*2
    [ "$(job_state "$id")" = COMPLETED ]
    node=$(job_field "$id" NodeList)
    expect_text "$text" "MSCALE_WORKER=0" "MSCALE_ROLES=loader" "MSCALE_ROLE_LOADER_CPUS=" "MSCALE_ROLE_LOADER_NUMA=" \
        "MSCALE_ROLE_LOADER_HUGEPAGES=$base/nodes/$node/mscale/huge/$id/2048kB" "MSCALE_ROLE_LOADER_HUGEPAGE_COUNT=2"
}

@test "each task of a step has its own core, after task/affinity has had its say" {
    run as_alice srun -N1 -n2 --cpu-bind=none --mscale-contract=role.loader.cores=1 \
        bash -c 'echo "$SLURM_LOCALID main $(grep -oP "Cpus_allowed_list:\s*\K.*" /proc/self/status) role $MSCALE_ROLE_LOADER_CPUS"'
    [ "$status" = 0 ]
    [ "$(grep -c main <<<"$output")" = 2 ]
    [ "$(grep -oP 'main \K\S+' <<<"$output" | sort -u | wc -l)" = 2 ]
}

@test "a thread of the user enters its role's place by the library and comes back" {
    line='import mscale, os
def place(): return sorted(os.sched_getaffinity(0)), open("/proc/thread-self/numa_maps").read().split()[1]
print("main", *place())
with mscale.role("loader"): print("loader", *place())
print("again", *place(), os.geteuid() > 0)
mscale.enter_role("loadr")'
    run_line "echo role [\$(srun bash -c 'echo \$MSCALE_ROLE_LOADER_CPUS')]
        LD_LIBRARY_PATH=${BUILD_DIR:-$source_dir/build}/.libs PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$source_dir/python srun python3 -c '$line'" -c2 --mscale-contract=$contract
    role=$(grep -oP '^role \K\[\d+\]' <<<"$text")
    main=$(grep -oP '^main \K\[\d+\]' <<<"$text")
    [[ -n $role && -n $main && $role != "$main" ]] || { echo "role '$role', main '$main'; $text"; return 1; }
    expect_text "$text" "main $main default" "loader $role bind:0" "again $main default True" \
        "no cores for a role 'loadr'; its roles are: loader"
}

use_task_plugin() { # NAME
    sed -i "s|^TaskPlugin=.*|TaskPlugin=$1|" "$base/etc/slurm.conf"
    cluster restart ctl slurmctld
    for node in n1 n2 n3; do cluster restart "$node" slurmd; done
    expect_all_idle
}

@test "B09: without task/affinity each task has its own core, and none is refused one in silence where all are on CPU 0" {
    use_task_plugin task/none
    show='echo "main $(grep -oP "Cpus_allowed_list:\s*\K.*" /proc/self/status)"'
    run as_alice srun -w n1 -n2 --mscale-contract=role.loader.cores=1 bash -c "$show"
    free_status=$status free=$output
    cluster exec n1 bash -c 'taskset -a -pc 0 $(pgrep -o -x slurmd)'
    run as_alice srun -w n1 -n2 --mscale-contract=role.loader.cores=1 bash -c "$show"
    use_task_plugin task/affinity
    [ "$free_status" = 0 ]
    [ "$(grep -oP 'main \K\S+' <<<"$free" | sort -u | wc -l)" = 2 ]
    [ "$status" != 0 ]
    expect_text "$output" "isn't honoured" "MSC-"
    [[ $output != *"main "* ]]
}

@test "each task's process is recorded beside the ledger, and the user can't read or write there" {
    id=$(submit_as alice -w n1 --mscale-contract=$contract --wrap 'cat */jobs/* 2>/dev/null; sleep 60')
    wait_until '[[ -s $base/nodes/n1/mscale/jobs/$id.tasks ]]' 20
    pid=$(as_host_pid)
    run as_alice cat "$base/nodes/n1/mscale/jobs/$id.tasks"
    [ "$status" != 0 ]
    [ "$(stat -c '%a %U' "$base/nodes/n1/mscale/jobs/$id.tasks")" = "600 root" ]
    grep -q "$pid" "$base/nodes/n1/mscale/jobs/$id.tasks"
}
as_host_pid() { cluster exec n1 pgrep -f 'slurm_script' | head -1; }

@test "a crash of mscale-node at apply refuses the task only" { refuse_both apply crash "signal 11"; }
@test "a hang of mscale-node at apply refuses the task only" { refuse_both apply hang "didn't end within 3 s"; }
@test "a failure of mscale-node at apply refuses the task only" { refuse_both apply fail "status 3" "no such thing"; }
@test "a crash of mscale-node at a step refuses the task only" { refuse_both step crash "signal 11"; }
@test "a hang of mscale-node at a step refuses the task only" { refuse_both step hang "didn't end within 3 s"; }
@test "a failure of mscale-node at a step refuses the task only" { refuse_both step fail "status 3"; }
@test "garbage from mscale-node at a step refuses the task only" { refuse_both step garbage "can't be read"; }

@test "a crash of the real mscale-node in the middle of its acts refuses the task only, and nothing of it stays" {
    free=$(free_pages)
    contract="role.loader.cores=1,role.loader.hugepages=2MiB*8"
    refuse_both apply die "signal 11"
    behave_well
    contract=role.loader.cores=1
    expect_all_idle
    wait_until '! compgen -G "$base/nodes/n*/mscale/jobs/*"' 10
    wait_until has_no_mounts 10
    [ "$(free_pages)" = "$free" ]
}

@test "an apply that leaves no ledger refuses the task only" { refuse_both apply garbage "left no ledger"; }

@test "a crash or hang of mscale-node at release leaves job and node as they are" {
    for fault in crash hang fail; do
        behave release $fault
        run_line 'echo the script ran' --mscale-contract=$contract
        [ "$(job_state "$id")" = COMPLETED ]
        expect_text "$text" "the script ran"
        expect_all_idle
        behave_well
        node=$(job_field "$id" NodeList)
        has_ledger "$node" "$id"
        cluster exec "$node" env "SLURM_JOB_ID=$id" "$base/bin/mscale-node" --config "$conf" release
    done
}

@test "a node without mscale-node refuses the task only, and other jobs run there" {
    rm "$base/log/mscale-node"
    run_line 'echo the script ran' --mscale-contract=$contract
    expect_refused_on_node "can't run $base/log/mscale-node" "MSC-C006"
    run as_alice srun echo the task ran
    expect_text "$output" "the task ran"
}

@test "a state directory that can't be written refuses the task only" {
    cluster exec n1 mount -t tmpfs -o ro none "$base/nodes/n1/mscale"
    run_line 'echo the script ran' -w n1 --mscale-contract=$contract
    cluster exec n1 umount "$base/nodes/n1/mscale"
    expect_refused_on_node "no ledger"
}

@test "a damaged mscale.conf on the node refuses the task only, and other jobs run there" {
    whole=$(<"$base/nodes/n1/mscale.conf")
    echo "nonsense = 1" >>"$base/nodes/n1/mscale.conf" # in place, since the host has the file itself mounted
    run_line 'echo the script ran' -w n1 --mscale-contract=$contract
    run as_alice srun -w n1 echo the task ran
    plain=$output
    cat >"$base/nodes/n1/mscale.conf" <<<"$whole"
    rm -f "/run/mscale/jobs/$id.refused" && rmdir --ignore-fail-on-non-empty /run/mscale/jobs /run/mscale # the default's place
    [ "$(job_state "$id")" = FAILED ]
    expect_text "$text" "isn't honoured" "nonsense"
    expect_text "$plain" "the task ran"
    expect_all_idle
}

@test "one bad node of two refuses the step, and both stay idle" {
    cluster exec n2 mount -t tmpfs -o ro none "$base/nodes/n2/mscale"
    run as_alice srun -w n1,n2 --mscale-contract=$contract echo the task ran
    cluster exec n2 umount "$base/nodes/n2/mscale"
    [ "$status" != 0 ]
    expect_text "$output" "slurmstepd-n2" "isn't honoured"
    expect_all_idle
}

@test "a prolog that hangs on one node of two refuses the task there, and both stay idle" {
    behave apply hang n2
    run as_alice srun -w n1,n2 --mscale-contract=$contract echo the task ran
    [ "$status" != 0 ]
    expect_text "$output" "slurmstepd-n2" "didn't end within 3 s"
    [[ $output != *"slurmstepd-n1: error: mscale"* ]]
    [ "$(grep -c "the task ran" <<<"$output")" -le 1 ]
    expect_all_idle
    run_line 'srun echo the task ran; echo "srun said $?"' -w n1,n2 --mscale-contract=$contract
    expect_text "$text" "slurmstepd-n2" "isn't honoured"
    [[ $text != *"srun said 0"* ]]
    expect_all_idle
}

@test "a step in salloc is refused like any other" {
    behave step crash
    run as_alice salloc --mscale-contract=$contract bash -c 'srun echo the task ran; echo "srun said $?"'
    expect_text "$output" "isn't honoured" "srun said 1"
    [[ $output != *"the task ran"* ]]
}

@test "a job without a contract doesn't notice a broken mscale-node" {
    for verb in apply step release; do behave $verb hang; done
    run as_alice srun echo the task ran
    [ "$status" = 0 ]
    [ "$output" = "the task ran" ]
}

@test "a prolog whose mscale-node hangs ends before Slurm's own timeout would drain the node" {
    as_root sed -i '$aPrologEpilogTimeout=2' "$base/etc/slurm.conf"
    as_root scontrol reconfigure
    refuse_both apply hang "didn't end within 1 s"
    behave_well
    behave release hang
    run_line 'echo the script ran' --mscale-contract=$contract
    as_root sed -i '/^PrologEpilogTimeout=2/d' "$base/etc/slurm.conf"
    as_root scontrol reconfigure
    expect_text "$text" "the script ran"
    expect_all_idle
}
