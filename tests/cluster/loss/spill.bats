# Snapshots in files: they outlive every node that held them, and a later job of the same user goes on from them.
load ../common
load lost_nodes
load snapshots

setup_file() { start_cluster --nodes 4 --pages 0 --mscale-conf recovery.max_down_per_hour=20; }
teardown_file() { stop_cluster; }
setup() {
    need_part mscaled mscale-spill spank_mscale job_submit_mscale
    spill=$base/home/alice/spill.$BATS_TEST_NUMBER
    rm -rf "$spill"* # of the same test before, in a cluster that serves again
}
teardown() { bring_back_lost_nodes && expect_nothing_left; }

heat=${BUILD_DIR:-$source_dir/build}/examples/heat
side=128
steps=20000

# A batch job of two ranks that saves each 300 steps, about twice a second, and writes to $output_file; $job is its number.
start_job() { # STEPS CLAUSES SBATCH-ARGS...
    local until=$1 clauses=$2
    shift 2
    output_file=$base/home/alice/spill.$BATS_TEST_NUMBER.$((++jobs)).out
    job=$(printf '#!/bin/bash\necho run ${SLURM_RESTART_COUNT:-0} on $(scontrol show hostnames)\nsrun -l %s %s %s 0 1\n' "$heat" "$side" "$until" |
        submit_as alice -o "$output_file" --open-mode=append --mscale-contract="ft.every=300,ft.copies=1,ft.state=1MiB${clauses:+,$clauses}" -N 2 -n 2 "$@")
}
jobs=0

files_of() { ls "$spill/mscale-$1" 2>/dev/null | grep -c "$2"; } # JOB PATTERN
newest_step() { ls "$spill/mscale-$1" | grep -oP "step-\K[0-9]+(?=-of-2.json)" | sort -n | tail -1; } # JOB
# So many epochs of the job were written whole.
wait_for_files() { wait_until "((\$(newest_step $1) >= $2))" 60; } # JOB STEP
goes_on_with() { grep -oP 'goes on with step \K[0-9]+' "$output_file" | sort -u; }
daemon_logs() { cat "$base"/log/n*.mscaled.out; }
said() { daemon_logs | grep -q -- "$1"; }
end_job() {
    as_root scancel "$job"
    wait_for_job "$job" 60
}
# Both ranks end with the heat of an undisturbed plate.
expect_same_end() { # STEPS
    local wanted
    wanted=$("$heat" "$side" "$1" 2>/dev/null | tail -1)
    [[ $(grep -c "$wanted" "$output_file") == 2 ]] || { grep -v ': step ' "$output_file"; tail -3 "$output_file"; echo "wanted: $wanted"; return 1; }
}
expect_completed() { [[ $(job_state "$1") == COMPLETED ]] || { echo "job $1 is $(job_state "$1")"; grep -v ': step ' "$output_file"; return 1; }; }

@test "all nodes of a job die: a later job goes on from its files, bit-equal" {
    start_job 1000000 "ft.spill=$spill,ft.spill_every=2" -w n1,n2
    wait_for_files "$job" 1200
    first=$job
    kill_node n1
    kill_node n2
    as_root scontrol update nodename=n1,n2 state=down reason=test || true
    as_root scancel "$first"
    wait_until "is_over $first" 60
    written=$(newest_step "$first")
    start_job 8000 "ft.spill=$spill,ft.resume=$first" -w n3,n4
    wait_for_job "$job" 120
    expect_completed "$job"
    echo "written up to $written, went on with $(goes_on_with)"
    [[ $(goes_on_with | wc -l) == 1 ]] && (($(goes_on_with) > written))
    expect_same_end 8000
}

@test "a job that is cancelled leaves its last commit in files, also without ft.spill_every" {
    start_job 1000000 "ft.spill=$spill" -w n1,n2
    wait_until "committed=\$(committed_step n1) && ((committed >= 900))" 60
    [[ ! -e $spill ]]
    end_job
    first=$job
    wait_until "said 'job $first has left: step'" 30
    start_job 8000 "ft.spill=$spill,ft.resume=$first" -w n3,n4
    wait_for_job "$job" 120
    expect_completed "$job"
    (($(goes_on_with) > committed))
    expect_same_end 8000
}

@test "a requeued job whose nodes keep no memory goes on from its files on other nodes" {
    start_job 8000 "ft.spill=$spill,ft.spill_every=3" -w n1,n2
    wait_for_files "$job" 900
    committed=$(committed_step n1)
    as_root scontrol requeue "$job"
    wait_until '[[ $(job_state $job) == PENDING ]]' 20
    as_root scontrol hold "$job"
    wait_until "said 'job $job has left: step'" 30
    wait_until "said 'job $job may run again, but its snapshots go'" 40
    as_root scontrol update jobid="$job" reqnodelist=n3,n4
    as_root scontrol release "$job"
    hurry_job "$job" "grep -q '^run 1 on n3 n4' $output_file" 40
    wait_for_job "$job" 120
    expect_completed "$job"
    (($(goes_on_with) > committed))
    expect_same_end 8000
}

@test "two newest epochs stay, for their owner alone, and a completed job writes no more" {
    start_job 6000 "ft.spill=$spill,ft.spill_every=1" -w n1,n2
    wait_for_job "$job" 60
    expect_completed "$job"
    sleep 3
    ls -la "$spill/mscale-$job"
    [[ $(files_of "$job" 'json$') == 2 ]]
    (($(files_of "$job" 'snapshot$') >= 4 && $(files_of "$job" 'snapshot$') <= 6))
    [[ $(find "$spill/mscale-$job" ! -user "$(stat -c %u "$base/home/alice")" | wc -l) == 0 ]]
    [[ $(find "$spill/mscale-$job" -type f -perm /077 | wc -l) == 0 && $(stat -c %a "$spill/mscale-$job") == 700 ]]
    ! said "job $job has left: step"
}

@test "a flipped byte in the newest file is told, and the older epoch is used" {
    start_job 1000000 "ft.spill=$spill,ft.spill_every=1" -w n1,n2
    wait_for_files "$job" 1200
    end_job
    first=$job
    wait_until "said 'job $first has left: step'" 30
    wait_until 'memory_is_gone n1 n2' 40
    mapfile -t files < <(ls "$spill/mscale-$first" | grep 'rank-1-of-2.snapshot$' | sort -V)
    printf '%s\n' "${files[@]}"
    newest=${files[-1]} older=${files[-2]}
    [[ -e $spill/mscale-$first/${older/rank-1/rank-0} ]]
    printf '\x5a' | dd of="$spill/mscale-$first/$newest" bs=1 seek=60000 conv=notrunc status=none
    start_job 8000 "ft.spill=$spill,ft.resume=$first" -w n3,n4
    wait_for_job "$job" 120
    expect_completed "$job"
    said "MSC-R001: $newest: chunk 0"
    [[ $(goes_on_with) == $(($(grep -oP 'step-\K[0-9]+(?=-rank)' <<<"$older") + 1)) ]]
    expect_same_end 8000
}

@test "a directory that can't be written to takes the promise back, and the training goes on" {
    install -d -m 0755 "$spill"
    start_job 8000 "ft.spill=$spill,ft.spill_every=1" -w n1,n2
    wait_until "[[ \$(contract_state $job) == granted ]]" 40
    admin_comment "$job"
    expect_text "$(admin_comment "$job")" "unenforced=ft.spill" "spill_fault=n" "MSC-R018" "Permission_denied"
    chown "$(stat -c %u:%g "$base/home/alice")" "$spill"
    wait_until "[[ \$(contract_state $job) == honoured ]]" 40
    wait_for_job "$job" 120
    expect_completed "$job"
    expect_same_end 8000
}

@test "a symbolic link of another user leads no file elsewhere" {
    install -d -m 1777 "$base/scratch"
    start_job 5000 "ft.spill=$base/scratch,ft.spill_every=1" -w n1,n2 --hold
    mkdir "$base/home/alice/precious.$job"
    chown "$(stat -c %u:%g "$base/home/alice")" "$base/home/alice/precious.$job"
    as_bob ln -s "$base/home/alice/precious.$job" "$base/scratch/mscale-$job"
    as_root scontrol release "$job"
    wait_until "admin_comment $job | grep -q 'is_a_symbolic_link'" 40
    wait_for_job "$job" 60
    expect_completed "$job"
    [[ $(ls -A "$base/home/alice/precious.$job" | wc -l) == 0 ]]
}

@test "nobody goes on from another user's job" {
    start_job 1000000 "ft.spill=$spill" -w n1,n2
    wait_until "committed=\$(committed_step n1) && ((committed >= 600))" 60
    end_job
    first=$job
    wait_until "said 'job $first has left: step'" 30
    output_file=$base/home/bob/spill.out
    rm -f "$output_file"
    job=$(printf '#!/bin/bash\nsrun -l %s %s 1000\n' "$heat" "$side" |
        submit_as bob -o "$output_file" --mscale-contract="ft.every=300,ft.state=1MiB,ft.copies=1,ft.spill=$spill,ft.resume=$first" -N 2 -n 2 -w n3,n4)
    wait_for_job "$job" 60
    cat "$output_file"
    [[ $(job_state "$job") == FAILED ]]
    grep "MSC-R00[25]" "$output_file"
    ! grep -q 'step 100 ' "$output_file"
}

@test "a job that finds nothing to go on from is refused, and never begins anew" {
    start_job 1000 "ft.spill=$spill,ft.resume=2000000" -w n1,n2
    wait_for_job "$job" 60
    grep -v ': step ' "$output_file"
    [[ $(job_state "$job") == FAILED ]]
    grep "MSC-R005.*ft.resume=2000000: no snapshot of job 2000000" "$output_file"
    ! grep -q 'step 100 ' "$output_file"
}

@test "files on the disk of one node are named to a job that runs on others" {
    local node
    for node in n1 n2; do cluster exec "$node" mount -t tmpfs -o mode=1777 tmpfs /mnt; done
    start_job 1000000 "ft.spill=/mnt/spill,ft.spill_every=1" -w n1,n2
    wait_until "cluster exec n1 ls /mnt/spill/mscale-$job | grep -q json" 40
    wait_until "cluster exec n2 ls /mnt/spill/mscale-$job | grep -q json" 40
    end_job
    first=$job
    wait_until "said 'job $first has left: step'" 30
    start_job 8000 "ft.spill=/mnt/spill,ft.resume=$first" -w n1,n2 # each where it was
    wait_for_job "$job" 120
    expect_completed "$job"
    expect_same_end 8000
    wait_until 'memory_is_gone n1 n2' 40
    start_job 8000 "ft.spill=/mnt/spill,ft.resume=$first" -w n2,n3
    wait_for_job "$job" 60
    grep -v ': step ' "$output_file"
    [[ $(job_state "$job") == FAILED ]]
    grep "MSC-R019: rank [01]: /mnt/spill.*it was seen on n2" "$output_file"
    for node in n1 n2; do cluster exec "$node" umount /mnt; done
}

# What a keeper of an older run would ask for when it is heard of again.
@test "a fenced writer removes nothing and replaces nothing of a newer run" {
    start_job 1000000 "ft.spill=$spill,ft.spill_every=1" -w n1,n2
    wait_for_files "$job" 1200
    end_job
    wait_until "said 'job $job has left: step'" 30
    before=$(cd "$spill/mscale-$job" && sha256sum *)
    id=$(stat -c %u "$base/home/alice")
    record="{\"job\":$job,\"restarts\":0,\"step_id\":0,\"ranks\":2,\"epoch\":1,\"step\":1}"
    for newer in $(cd "$spill/mscale-$job" && ls); do mv "$spill/mscale-$job/$newer" "$spill/mscale-$job/${newer/run-0.0/run-1.0}"; done
    before=$(cd "$spill/mscale-$job" && sha256sum *)
    cluster exec n1 mscale-spill <<<"{\"act\":\"settle\",\"uid\":$id,\"gid\":$id,\"directory\":\"$spill\",\"since\":0,\"record\":${record/\"epoch\":1/\"epoch\":999999},\"node\":\"n1\",\"rate\":1000000,\"slots\":[]}" | grep '"ok":true'
    [[ $(cd "$spill/mscale-$job" && sha256sum *) == "$before" ]]
}
