# Whatever dies at whatever moment: in the end ledger and machine agree and no huge page is lost.
# STORM_KILLS is how many kills (100); STORM_SEED makes a run repeatable.
load ../common

kills=${STORM_KILLS:-100}
victims=(slurmstepd slurmd mscaled mscale-node)
contract='role.image_loader.cores=1,role.image_loader.hugepages=2MiB*8'

setup_file() { start_cluster --nodes 2 --pages 64; }
teardown_file() { stop_cluster; }

pick() { echo $((RANDOM % $1)); }

# A kill at a random moment of the job's life: while it is set up, while it runs, while it is undone.
kill_something() { # JOB
    local node="n$((1 + $(pick 2)))" victim=${victims[$(pick ${#victims[@]})]} moment
    moment=$(pick 3)
    sleep "0.$(pick 6)"
    if ((moment == 2)); then
        as_root scancel "$1"
        sleep "0.$(pick 4)"
    fi
    echo "job $1: SIGKILL to $victim on $node, moment $moment" >>"$BATS_FILE_TMPDIR/kills"
    cluster exec "$node" pkill -KILL -x "$victim" || true
}

bring_daemons_back() {
    local node program
    for node in $(node_names); do
        for program in slurmd mscaled; do
            cluster exec "$node" pgrep -x "$program" >/dev/null || cluster restart "$node" "$program"
        done
    done
}

end_job() { # JOB
    as_root scancel "$1"
    wait_until "is_over $1" 60
    for node in $(node_names); do
        [[ $(node_state "$node") != *drain* ]] || as_root scontrol update nodename="$node" state=resume
    done
}

reconcile_all() {
    local node
    for node in $(node_names); do cluster exec "$node" mscale-node --config "$conf" reconcile; done
}

has_no_ledgers() { ! compgen -G "$base/nodes/n*/mscale/jobs/*.json"; }
all_pages_free() { [[ $(free_pages) == "$(total_pages)" ]]; }
has_no_reservation() { [[ $(awk '/^HugePages_Rsvd/ { print $2 }' /proc/meminfo) == 0 ]]; }

@test "after $kills random kills ledger and machine agree and no huge page is lost" {
    RANDOM=${STORM_SEED:-1}
    before=$(total_pages)
    for ((i = 0; i < kills; i++)); do
        id=$(submit_as alice -N2 -c1 --mscale-contract="$contract" --wrap 'srun sleep 30')
        kill_something "$id"
        bring_daemons_back
        end_job "$id"
    done
    wait_until '[[ -z $(as_root squeue -h) ]]' 60
    reconcile_all
    wait_until has_no_ledgers 90
    wait_until has_no_mounts 30
    [ "$(total_pages)" = "$before" ]
    wait_until all_pages_free 30
    wait_until has_no_reservation 30
}

@test "after the storm the cluster honours a contract" {
    bring_daemons_back
    expect_all_idle
    id=$(submit_as alice -N2 -c1 --mscale-contract="$contract" --wrap 'srun true; sleep 5')
    wait_until "[[ \$(contract_state $id) == honoured ]]" 40
    wait_for_job "$id"
    [ "$(job_state "$id")" = COMPLETED ]
}
