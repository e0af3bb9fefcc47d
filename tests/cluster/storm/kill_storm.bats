# Whatever dies at whatever moment: after each blow ledger, machine and Slurm agree, no huge page is lost, no node is drained.
# STORM_KILLS is how many kills (100), half of them here and half in growth_storm.bats; STORM_SEED makes a run repeatable.
load storm

kills=$((${STORM_KILLS:-100} / 2))
contract='role.image_loader.cores=1,role.image_loader.hugepages=2MiB*8,gpu.sm=8'

setup_file() { start_cluster --nodes 2 --pages 64 --mscale-conf daemon.reconcile_interval=2s; }
teardown_file() { stop_cluster; }

@test "after each of $kills kills on two nodes ledger and machine agree and no huge page is lost" {
    RANDOM=${STORM_SEED:-1}
    count_pages
    storm "$kills" "$contract" 2
    expect_all_met "$kills"
}

@test "after the storm the cluster honours a contract" {
    expect_all_idle
    id=$(submit_as alice -N2 -c1 --mscale-contract="$contract" --wrap 'srun true; sleep 5')
    wait_until "[[ \$(contract_state $id) =~ ^(honoured|granted)\$ ]]" 40
    wait_for_job "$id"
    [ "$(job_state "$id")" = COMPLETED ]
}
