# scripts/cluster itself: what it promises to the tests that stand on it.
load common

setup_file() { start_cluster --nodes 3; }
teardown_file() { stop_cluster; }
teardown() { expect_nothing_left; }

add_pages() { # COUNT
    local pool=/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages
    echo $(($(<$pool) + $1)) >$pool
}

@test "three hosts run a job of a user, each with its own name and address" {
    run as_alice srun -N3 bash -c 'echo "$(hostname) $(id -un) $(hostname -I)"'
    [ "$status" = 0 ]
    expect_text "$output" "n1 alice 10.77.0.11" "n2 alice 10.77.0.12" "n3 alice 10.77.0.13"
}

@test "a task is bound to a core that exists" {
    run as_alice srun -n2 -N1 grep Cpus_allowed_list /proc/self/status
    [ "$(sort -u <<<"$output" | wc -l)" = 2 ]
}

@test "slices are tracked by their numbers" {
    run as_bob srun --gres=sm:4 bash -c 'scontrol -d show job $SLURM_JOB_ID'
    expect_text "$output" "GRES=sm:h100:4(IDX:0-3)"
}

@test "a host that loses power comes back idle and empty" {
    id=$(submit_as alice -w n2 --no-requeue --wrap "sleep 300")
    wait_until "[[ \$(job_state $id) == RUNNING ]]" 20
    mkdir -p "$base/nodes/n2/mscale/jobs"
    touch "$base/nodes/n2/mscale/jobs/$id.json"
    cluster kill n2
    [ ! -e "$base/nodes/n2/mscale/jobs/$id.json" ]
    as_root scontrol update nodename=n2 state=down reason=test
    cluster start n2
    expect_node_idle n2
    wait_for_job "$id" 20
}

@test "down gives back exactly the pages that up reserved" {
    before=$(total_pages)
    MSCALE_CLUSTER=other cluster up --build "${BUILD_DIR:-$source_dir/build}" --nodes 1 --pages 10
    [ "$(total_pages)" = $((before + 10)) ]
    MSCALE_CLUSTER=other cluster down
    [ "$(total_pages)" = "$before" ]
    [ ! -e /tmp/mscale-other ]
}

@test "the pages that a killed host grew are given back" {
    add_pages 2
    mkdir -p "$base/nodes/n3/mscale/jobs"
    echo '{"acts":[{"kind":"hugepages","page_bytes":2097152,"count":2,"numa":0}]}' >"$base/nodes/n3/mscale/jobs/1.json"
    before=$(total_pages)
    cluster kill n3
    [ "$(total_pages)" = $((before - 2)) ]
    cluster start n3
    expect_node_idle n3
}

@test "a contract's file is taken relative to where submit is called" {
    need_part spank_mscale
    local here
    here=$(mktemp -d)
    chmod 755 "$here"
    printf '[role.loader]\ncores = 1\n' >"$here/contract.ini"
    cd "$here"
    run cluster submit --mscale-contract=@contract.ini -o /dev/null --wrap true
    cd - && rm -r "$here"
    [ "$status" = 0 ]
    expect_text "$output" "Submitted batch job"
    wait_for_job "${output##* }" 20
}

@test "where no mscaled runs, status shows what slurmctld knows, and doctor misses none" {
    need_part spank_mscale mscaled job_submit_mscale
    id=$(submit_as alice --mscale-contract=role.loader.cores=1 -o /dev/null --wrap "sleep 300")
    wait_until "as_alice mscale status $id | grep -q '^job $id  honoured'" 20
    without_mscaled=$(printf '[paths]\nstate = /nowhere\n' | user_file alice without_mscaled.conf) # as on a login host
    run as_alice mscale --config "$without_mscaled" status "$id"
    expect_text "$output" "Slurm's state RUNNING on n" "srun --jobid=$id --overlap mscale status $id"
    as_root scancel "$id"
    wait_for_job "$id" 20
    run as_alice mscale --config "$without_mscaled" status "$id"
    [ "$status" = 0 ]
    expect_text "$output" "Slurm's state CANCELLED"
    run as_alice mscale --config "$without_mscaled" status 99999
    [ "$status" = 2 ]
    expect_text "$output" "over or was never here" "sacct -P -o JobID,State,AdminComment -j 99999"
    as_root mscale doctor
}
