# What waits for minutes: on a cluster of its own, beside the other tests.  It takes no huge pages: the pool is one for all.
load ../common
load ../spank

setup_file() { start_spank_cluster --pages 0; }
teardown_file() { stop_cluster; }
teardown() {
    expect_nothing_left
}

@test "a requeued job keeps its verified contract" {
    script=$(printf '#!/bin/bash\n[[ ${SLURM_RESTART_COUNT:-0} == 0 ]] && sleep 60\nsrun env\n' | user_file alice script.sh)
    id=$(submit_as alice -w n1 --requeue -o "$base/home/alice/requeued.txt" --mscale-contract=role.loader.cores=1 "$script")
    wait_until '[[ $(job_state $id) == RUNNING ]]' 20
    as_root scontrol requeue "$id"
    wait_until '[[ $(job_state $id) == PENDING ]]' 20
    # Not started before Slurm's own delay: slurmd, which still knows the credential of the first run, would run no prolog.
    wait_for_job "$id" 180
    expect_completed "$id"
    [ "$(awk -v job="$id" '$2 == job && $3 == "apply"' "$notes" | wc -l)" = 2 ]
    [ "$(contract_of "$id")" = "role.loader.cores=1" ]
    expect_text "$(<"$base/home/alice/requeued.txt")" "MSCALE_ROLE_LOADER_CPUS="
}
