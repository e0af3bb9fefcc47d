# The same on one node where the kernel's pool grows for each job and shrinks after it.
load storm

kills=$((${STORM_KILLS:-100} - ${STORM_KILLS:-100} / 2))

setup_file() { start_cluster --nodes 1 --pages 4 --grow --mscale-conf daemon.reconcile_interval=2s; }
teardown_file() { stop_cluster; }

@test "after each of $kills kills the pool that grew for a job has shrunk again" {
    RANDOM=${STORM_SEED:-1}
    count_pages
    contract="role.image_loader.cores=1,role.image_loader.hugepages=2MiB*$((free_before - reserved_before + 8)),gpu.sm=8"
    id=$(submit_job "$contract" 1)
    wait_until "is_running $id" 15
    [ "$(total_pages)" = $((total_before + 8)) ]
    as_root scancel "$id"
    wait_until has_no_leftovers 30
    storm "$kills" "$contract" 1
    expect_all_met "$kills"
}
