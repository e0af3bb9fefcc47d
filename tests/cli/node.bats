#!/usr/bin/env bats
# mscale-node on this machine's own kernel: what apply sets up, step plans, release and reconcile undo.

load node

setup_file() { start_node; }
teardown_file() { stop_node; }
setup() {
    before=$(<$pool)
    use_before=$(pool_use)
    eight="role.loader.cores=1,role.loader.hugepages=2MiB*8"
}
teardown() {
    write_site "grow = yes"
    node reconcile --live 0
    expect_clean "$before"
}

@test "a contract is set up: its pages are reserved in a mount that only its user may enter" {
    run apply 7 "$(seal "$eight")"
    [ "$status" -eq 0 ]
    [ "$(record 7 .stage)" = applied ]
    mounts | grep -q "uid=$user.*mode=700.*min_size="
    [ "$(stat -c '%u %a' "$dir/state/huge/7/2048kB")" = "$user 700" ]
    [ "$(awk '/HugePages_Rsvd/ { print $2 }' /proc/meminfo)" -ge 8 ]
}

@test "the job's user can fill all its pages and not one more" {
    apply 7 "$(seal "$eight")"
    setpriv --reuid $user --regid $user --clear-groups fallocate -l 16M "$dir/state/huge/7/2048kB/all"
    run setpriv --reuid $user --regid $user --clear-groups fallocate -l 2M "$dir/state/huge/7/2048kB/more"
    [ "$status" -ne 0 ]
    node release --job 7
}

@test "release undoes the mounts that the record names, wherever they are" {
    apply 7 "$(seal "$eight")"
    mkdir "$dir/elsewhere"
    mount -t hugetlbfs -o pagesize=2M,size=2M mscale "$dir/elsewhere"
    jq --arg path "$dir/elsewhere" '.acts += [{kind: "mount", page_bytes: 2097152, count: 1, numa: 0, path: $path}]' \
        "$dir/state/jobs/7.json" >"$dir/record"
    mv "$dir/record" "$dir/state/jobs/7.json"
    node release --job 7
    run mountpoint -q "$dir/elsewhere"
    [ "$status" -ne 0 ]
}

@test "a release of an earlier run leaves the run that holds the node alone" {
    apply 7 "$(seal "$eight")"
    node release --job 7 --started $(($(record 7 .started) - 1))
    [ "$(record 7 .stage)" = applied ]
    node release --job 7 --started "$(record 7 .started)" --restarts 0
    expect_clean "$before"
}

@test "release gives back all that was held, and twice is harmless" {
    apply 7 "$(seal "$eight")"
    node release --job 7
    expect_clean "$before"
    node release --job 7
    expect_clean "$before"
}

@test "a credential that was opened before is believed: each node opens it" {
    credential=$(seal "$eight")
    apply 7 "$credential"
    apply 8 "$credential"
    [ "$(record 8 .stage)" = applied ]
}

@test "two jobs hold pages of their own and each gives back its own" {
    spare=$(spare_pages)
    apply 7 "$(seal "role.loader.cores=1,role.loader.hugepages=2MiB*$((spare + 8))")"
    [ "$(<$pool)" -eq $((before + 8)) ]
    apply 8 "$(seal "$eight")"
    [ "$(<$pool)" -eq $((before + 16)) ]
    node release --job 7
    [ "$(<$pool)" -eq $((before + 8)) ]
    node release --job 8
    [ "$(<$pool)" -eq "$before" ]
}

@test "jobs that are set up at the same moment don't take each other's pages" {
    for job in 11 12 13 14; do apply $job "$(seal "$eight")" & done
    wait
    for job in 11 12 13 14; do [ "$(record $job .stage)" = applied ]; done
    [ "$(awk '/HugePages_Rsvd/ {print $2}' /proc/meminfo)" -ge 32 ]
}

@test "an earlier run of the same job is released first" {
    apply 7 "$(seal "$eight")"
    apply 7 "$(seal "role.loader.cores=1,role.loader.hugepages=2MiB*4")"
    [ "$(mounts | wc -l)" -eq 1 ]
    [ "$(record 7 '.plan.pages[0].count')" -eq 4 ]
}

@test "pages that the site doesn't let grow are refused, and the command succeeds" {
    write_site "grow = no"
    run apply 7 "$(seal "role.loader.cores=1,role.loader.hugepages=2MiB*4000")"
    [ "$status" -eq 0 ]
    [ "$(record 7 .stage)" = refused ]
    [ "$(record 7 '.refusals[0].code')" = MSC-V013 ]
    [ -z "$(mounts)" ]
}

@test "a text that another than SlurmUser made is refused" {
    payload="{\"mscale_verified\":1,\"uid\":$user,\"mode\":\"enforce\",\"tasks\":1,\"contract\":\"$eight\"}"
    forged=$(setpriv --reuid $user --regid $user --clear-groups munge --socket="$dir/munge.sock" --string "$payload")
    apply 7 "$forged"
    [ "$(record 7 .stage)" = refused ]
    [ "$(record 7 '.refusals[0].code')" = MSC-N003 ]
}

@test "a text that was made for another user is refused" {
    apply 7 "$(seal "$eight" 1000)"
    [ "$(record 7 '.refusals[0].reason')" = "the verified text is for user 1000, the job is of user $user" ]
}

@test "a text that isn't a credential is refused" {
    apply 7 "MUNGE:nonsense:"
    [ "$(record 7 '.refusals[0].code')" = MSC-N003 ]
}

@test "a client's text that no controller verified is refused" {
    env -i SLURM_CONF=/absent SLURM_JOB_ID=7 SLURM_JOB_UID=$user SLURM_JOB_GID=$user SPANK_MSCALE_CONTRACT="$eight" \
        "$node_program" --config "$dir/mscale.conf" apply
    [ "$(record 7 .stage)" = refused ]
    [ "$(record 7 '.refusals[0].code')" = MSC-N003 ]
}

@test "a job without a contract leaves no trace" {
    env -i SLURM_JOB_ID=7 SLURM_JOB_UID=$user SLURM_JOB_GID=$user "$node_program" --config "$dir/mscale.conf" apply
    expect_clean "$before"
}

@test "a contract that is only observed sets nothing up" {
    apply 7 "$(seal "role.loader.cores=4000" $user observe)"
    [ "$(record 7 .observe)" = true ]
    [ "$(record 7 '.refusals[0].code')" = MSC-V002 ]
    [ -z "$(mounts)" ]
}

@test "three facts in a row that contradict the inventory are counted, and one contract that fits ends the row" {
    for job in 7 8 9; do apply $job "$(seal "role.loader.cores=4000")"; done
    [ "$(<"$dir/state/contradictions")" = 3 ]
    apply 10 "$(seal "role.loader.cores=1")"
    [ ! -e "$dir/state/contradictions" ]
}

step() { # JOB STEP UID
    jq -cn --argjson job "$1" --argjson step "$2" --argjson uid "${3:-$user}" \
        '{job: $job, step: $step, uid: $uid, tasks: 1, step_cores: "", job_cores: "0", affinity: "0-1"}' | node step
}

@test "a step is planned on the cores that Slurm granted and stands in the ledger" {
    apply 7 "$(seal "$eight")"
    run step 7 0
    [ "$status" -eq 0 ]
    [ "$(jq -r '.refusals | length' <<<"$output")" -eq 0 ]
    [ "$(jq -r '.plan.workers[0].roles[0].name' <<<"$output")" = loader ]
    [ "$(record 7 '.steps | length')" -eq 1 ]
}

@test "steps at the same moment all stand in the ledger" {
    apply 7 "$(seal "$eight")"
    for number in 0 1 2 3 4 5; do step 7 $number >/dev/null & done
    wait
    [ "$(record 7 '.steps | length')" -eq 6 ]
}

@test "a step of a refused job brings the job's refusals" {
    apply 7 "$(seal "role.loader.cores=4000")"
    run step 7 0
    [ "$(jq -r '.refusals[0].code' <<<"$output")" = MSC-V002 ]
}

@test "a step of a job without a contract gets an empty answer" {
    run step 99 0
    [ "$output" = "{}" ]
}

@test "reconcile keeps live jobs and releases all others" {
    apply 7 "$(seal "$eight")"
    apply 8 "$(seal "$eight")"
    node reconcile --live 8
    [ ! -e "$dir/state/jobs/7.json" ]
    [ "$(record 8 .stage)" = applied ]
}

@test "what a finished job left running is killed, descendants included" {
    apply 7 "$(seal "$eight")"
    setpriv --reuid $user --regid $user --clear-groups setsid bash -c 'sleep 1000 & sleep 1000 & wait' 3>&- &
    until pgrep -s $! sleep >/dev/null; do :; done
    echo "0 0 - $! $(awk '{print $22}' /proc/$!/stat) -" >>"$dir/state/jobs/7.tasks"
    node release --job 7
    run pgrep --runstates D,R,S,T -s $!
    [ "$status" -ne 0 ]
}

@test "a mount that is still in use is detached and its pages come back with its last user" {
    apply 7 "$(seal "$eight")"
    exec 9>"$dir/state/huge/7/2048kB/held"
    fallocate -l 2M "$dir/state/huge/7/2048kB/held"
    node release --job 7
    [ -z "$(mounts)" ]
    exec 9>&-
    node reconcile --live 0
    expect_clean "$before"
}

@test "a wrong call is told with exit status 2" {
    run "$node_program" --config "$dir/mscale.conf"
    [ "$status" -eq 2 ]
    run env -i "$node_program" --config "$dir/mscale.conf" apply
    [ "$status" -eq 2 ]
}
