# job_submit_mscale.so: what the controller makes of a contract, and what the user sees.
load common
load submit

setup_file() {
    start_submit_cluster
    controller_pid >"$BATS_FILE_TMPDIR/controller"
}
teardown_file() { stop_cluster; }
teardown() { set_mode enforce && expect_nothing_left && expect_same_controller; }

# A job that waits, so that it can be looked at: hold_job SBATCH-ARGS...; prints its number.
hold_job() { submit_as alice -H --wrap "sleep 60" "$@"; }

@test "a contract that can't be honoured is refused by sbatch, srun and salloc with every reason and the nearest one" {
    for command in "sbatch --wrap true" "srun true" "salloc true"; do
        read -r program rest <<<"$command"
        # shellcheck disable=SC2086
        run as_alice $program --mscale-contract=role.loader.cores=900,gpu.sm=999 $rest
        [ "$status" = 1 ]
        expect_text "$output" "$program: error: mscale: the contract is refused" "MSC-V002 role.loader.cores=900" \
            "MSC-V011 gpu.sm=999" "nearest: --mscale-contract=" "Requested node configuration is not available"
    done
    [ "$(job_count)" = 0 ]
}

@test "the nearest contract is accepted as it was printed" {
    run as_alice sbatch --mscale-contract=role.loader.cores=900,gpu.sm=999 --wrap true
    nearest=$(grep -oP 'nearest: \K.*' <<<"$output")
    id=$(hold_job "$nearest")
    [ "$(contract_state "$id")" = accepted ]
}

@test "sbatch --test-only tells the refusal, too" {
    run as_alice sbatch --test-only --mscale-contract=role.loader.cores=900 --wrap true
    [ "$status" != 0 ]
    expect_text "$output" "MSC-V002"
}

@test "the job is fitted to its contract, and what the user asked is kept" {
    id=$(hold_job --mscale-contract=role.loader.cores=2,gpu.sm=16 --comment mine)
    [ "$(job_field "$id" TresPerNode)" = gres:sm:2 ]
    [ "$(job_field "$id" CPUs/Task)" = 2 ]
    [ "$(job_field "$id" ExcNodeList)" = n3 ]
    [ "$(job_field "$id" Comment)" = mine ]
}

@test "two tasks of a node hold two workers' slices and cores" {
    id=$(hold_job -N1 -n2 --mscale-contract=role.loader.cores=1,gpu.sm=16)
    [ "$(job_field "$id" TresPerNode)" = gres:sm:4 ]
    [ "$(job_field "$id" CPUs/Task)" = 1 ]
}

@test "a user's own -c is kept when it suffices and refused with both numbers when it doesn't" {
    run as_alice sbatch -c 1 --mscale-contract=role.loader.cores=2 --wrap true
    expect_text "$output" "MSC-V024 --cpus-per-task=1: the contract needs 2 CPUs"
    id=$(hold_job -c 2 --mscale-contract=role.loader.cores=1)
    [ "$(job_field "$id" CPUs/Task)" = 2 ]
}

@test "another number of slices than the contract's is refused, the same number is kept" {
    run as_alice sbatch --gres=sm:5 --mscale-contract=gpu.sm=16 --wrap true
    expect_text "$output" "MSC-P019" "--gres=sm:5 and the contract needs 2 per node"
    id=$(hold_job --gres=sm:2 --mscale-contract=gpu.sm=16)
    [ "$(job_field "$id" TresPerNode)" = gres:sm:2 ]
}

@test "a node that the user requires must honour the contract" {
    run as_alice sbatch -w n3 --mscale-contract=gpu.sm=16 --wrap true
    [ "$status" = 1 ]
    expect_text "$output" "requires node n3" "MSC-V"
}

@test "more nodes than honour the contract are refused with both numbers" {
    run as_alice sbatch -N3 --mscale-contract=gpu.sm=16 --wrap true
    expect_text "$output" "2 of the 3 nodes needed can honour it"
}

@test "a node in no class of the inventory is excluded, or named when it is needed" {
    mv "$base/etc/mscale/inventory/plain.json" "$base/etc/mscale/plain.kept"
    id=$(hold_job --mscale-contract=role.loader.cores=1)
    [ "$(job_field "$id" ExcNodeList)" = n3 ]
    run as_alice sbatch -N3 --mscale-contract=role.loader.cores=1 --wrap true
    mv "$base/etc/mscale/plain.kept" "$base/etc/mscale/inventory/plain.json"
    expect_text "$output" "MSC-C005" "n3" "mscale inventory"
}

@test "the nodes are told exactly the verified text" {
    id=$(submit_as alice --mscale-contract=role.loader.cores=1 --wrap true)
    wait_for_job "$id"
    expect_text "$(verified_text "$id")" '"contract":"role.loader.cores=1"' '"uid":60101' '"mode":"enforce"'
}

@test "forged variables of an API client are stripped from a job without a contract" {
    id=$(api "${forged[@]}" OTHER=kept)
    wait_for_job "$id"
    wait_until "grep -q '^$id ' $verified" 10
    [ "$(grep "^$id " "$verified")" = "$id " ]
    [ -z "$(names_in_prolog "$id")" ]
}
forged=(MSCALE_VERIFIED=forged MSCALE_VERIFIED=again MSCALE_SM_SLICES=0-15 MSCALE_JOB=1 MSCALE_ROLES=x MSCALE=x
    _SLURM_SPANK_OPTION_mscale_mscale_contract=gpu.sm=8 SLURM_SPANK_OPTION_mscale_mscale_contract=gpu.sm=8)

@test "forged variables beside a contract leave nothing but the text that was verified" {
    id=$(api "${forged[@]}" MSCALE_CONTRACT=role.loader.cores=1)
    wait_for_job "$id"
    [ "$(names_in_prolog "$id")" = " SPANK_MSCALE_VERIFIED" ]
    expect_text "$(verified_text "$id")" '"contract":"role.loader.cores=1"' '"uid":60101'
}

@test "a contract of almost 64 KiB reaches the Prolog whole" {
    long=role.loader.cores=1,ft.spill=/scratch/$(head -c 60000 /dev/zero | tr '\0' x)
    id=$(api "MSCALE_CONTRACT=$long")
    wait_for_job "$id"
    [ "$(job_state "$id")" = COMPLETED ]
    [ "$(verified_text "$id" | jq -r .contract)" = "$long" ]
    expect_all_idle
}

@test "MSCALE_CONTRACT of an API client's environment is a contract, and is removed from it" {
    id=$(api env:MSCALE_CONTRACT=role.loader.cores=1 -- env)
    wait_for_job "$id"
    expect_text "$(verified_text "$id")" '"contract":"role.loader.cores=1"'
    [[ $(<"$base/home/alice/$id.txt") != *MSCALE_CONTRACT* ]]
}

@test "a file in an API client's environment isn't opened" {
    run api env:MSCALE_CONTRACT=@/etc/shadow
    [ "$status" = 1 ]
    expect_text "$output" "MSC-P018" "the controller opens no file for a user"
}

@test "faults of an API client's contract are told with carets" {
    run api env:MSCALE_CONTRACT=role.loader.coers=1
    [ "$status" = 1 ]
    expect_text "$output" "MSC-P002" "role.loader.coers=1" "^~"
}

@test "a job-control variable above 64 KiB is refused for any job, and no node is drained" {
    run api "OTHER=$(head -c 66000 /dev/zero | tr '\0' x)"
    [ "$status" = 1 ]
    expect_text "$output" "MSC-V028" "OTHER has 66006 bytes"
    text=$(head -c 60000 /dev/zero | tr '\0' x)
    run api A="$text" B="$text" C="$text" D="$text" E="$text"
    [ "$status" = 1 ]
    expect_text "$output" "MSC-V028" "together"
    id=$(submit_as alice -N3 --wrap true) # a node that such a job had drained would not run it
    wait_for_job "$id"
    [ "$(job_state "$id")" = COMPLETED ]
    expect_all_idle
}

@test "spares are nodes of a batch job, and refused for srun and salloc" {
    id=$(hold_job -N1 --mscale-contract=role.loader.cores=1,ft.spares=1)
    [ "$(job_field "$id" NumNodes)" = 2-2 ] || [ "$(job_field "$id" NumNodes)" = 2 ]
    [ "$(job_field "$id" Requeue)" = 1 ]
    for command in srun salloc; do
        run as_alice "$command" -N2 -n2 --mscale-contract=role.loader.cores=1,ft.spares=1 true
        [ "$status" = 1 ]
        expect_text "$output" "MSC-V022" "sbatch"
    done
}

# The node of a job that isn't its batch host loses its power, and Slurm is told: lose_other_node JOB
lose_other_node() {
    wait_until "[[ \$(job_state $1) == RUNNING ]]" 20
    other=$(as_root scontrol show hostnames "$(job_field "$1" NodeList)" | grep -vx "$(job_field "$1" BatchHost)")
    cluster kill "$other"
    as_root scontrol update nodename="$other" state=down reason=test
}

@test "copies that have no node of their own are refused with the number that they need" {
    for nodes in 1 2; do
        run as_alice sbatch -N "$nodes" --mscale-contract=ft.every=5,ft.copies=2 --wrap true
        [ "$status" = 1 ]
        expect_text "$output" "MSC-R010 ft.copies=2: each copy lies on a node of its own beside the rank's, 3 in all, and the job has $nodes; ask for -N 3"
    done
    run as_alice sbatch --mscale-contract=ft.every=5,ft.copies=1 --wrap true
    expect_text "$output" "MSC-R010" "the job has 1; ask for -N 2, or leave ft.copies out"
    hold_job -N3 --mscale-contract=ft.every=5,ft.copies=2
    hold_job -N2 --mscale-contract=ft.every=5,ft.copies=2,ft.spares=1
    hold_job -w n1,n2 --mscale-contract=ft.every=5,ft.copies=1
}

@test "a requeue is told as a way back only where it finds a snapshot" {
    run as_alice sbatch -H --mscale-contract=ft.every=5 --wrap true
    [ "$status" = 0 ]
    expect_text "$output" "the loss of a node: none: a requeued job finds no snapshot (MSC-R005)" "held_memory" "give ft.spill=DIRECTORY"
    run as_alice sbatch -H --mscale-contract=ft.every=5,ft.spill=/tmp --wrap true
    expect_text "$output" "the loss of a node: a requeue"
}

@test "a job with spares outlives the loss of a node" {
    id=$(submit_as alice -N1 --mscale-contract=role.loader.cores=1,ft.spares=1 --wrap "sleep 60")
    lose_other_node "$id"
    wait_until '[[ $(job_field $id NumNodes) == 1 ]]' 20
    [ "$(job_state "$id")" = RUNNING ]
    cluster start "$other"
}

@test "srun as its own allocator runs with a contract" {
    run as_alice srun -N2 -n2 --mscale-contract=role.loader.cores=1,gpu.sm=8 true
    [ "$status" = 0 ]
}

@test "observe tells what would be refused and leaves the job as it is" {
    set_mode observe
    run as_alice sbatch -H --mscale-contract=role.loader.cores=900,gpu.sm=16 --wrap true
    [ "$status" = 0 ]
    expect_text "$output" "would be refused" "MSC-V002"
    id=$(grep -oP 'Submitted batch job \K.*' <<<"$output")
    [ "$(contract_state "$id")" = observed ]
    [ -z "$(job_field "$id" TresPerNode)" ]
}

@test "off tells that the job runs without its contract" {
    set_mode off
    run as_alice sbatch -H --mscale-contract=gpu.sm=16 --wrap true
    [ "$status" = 0 ]
    expect_text "$output" "switched contracts off"
    id=$(grep -oP 'Submitted batch job \K.*' <<<"$output")
    [ -z "$(admin_comment "$id")" ]
}

@test "a damaged mscale.conf is logged and leaves the old one in force" {
    set_mode enforce
    api env:MSCALE_CONTRACT=gpu.sm=16 -- true # the plugin reads the file when a contract comes: now it has this one
    set_mode maybe
    id=$(api env:MSCALE_CONTRACT=gpu.sm=16 -- "sleep 20")
    [[ $(contract_state "$id") =~ ^(accepted|granted)$ ]] # the job may have started meanwhile
    expect_text "$(tail -20 "$base/log/slurmctld.log")" "mscale.conf has faults"
}

@test "modes are switched under load, and no submission is lost or wrongly judged" {
    load=$(user_file alice load.sh <<'LOAD'
#!/bin/bash
for ((i = 0; i < 100; i++)); do
    sbatch -H --mscale-contract="$1" --wrap true 2>&1 | tr '\n' ' '
    echo
done
LOAD
    )
    answers=$BATS_TEST_TMPDIR/answers
    clients=()
    for client in 1 2; do
        as_alice "$load" role.loader.cores=900 >"$answers.refused.$client" 3>&- &
        clients+=($!)
        as_alice "$load" role.loader.cores=1 >"$answers.honoured.$client" 3>&- &
        clients+=($!)
    done
    while kill -0 "${clients[@]}" 2>/dev/null; do
        for mode in observe enforce off; do set_mode $mode; sleep 0.3; done
    done
    wait "${clients[@]}"
    off='switched contracts off.*Submitted'
    expect_answers "$answers.refused" 'would be refused.*MSC-V002.*Submitted' "$off" 'the contract is refused.*MSC-V002'
    # observed and accepted look the same to the user; the job's comment tells them apart
    expect_answers "$answers.honoured" '^Submitted' "$off"
    [ "$(cat "$answers".* | grep -c Submitted)" = "$(job_count)" ]
    held=$(as_root scontrol -o show job | grep JobState=PENDING)
    expect_text "$held" "mscale: state=observed" "mscale: state=accepted"
    observed=$(grep "mscale: state=observed verdict=refused" <<<"$held" | grep -oP '^JobId=\K\d+' | head -1)
    switched_off=$(grep -h "$off" "$answers.honoured".* | grep -oP 'batch job \K\d+' | head -1)
    for id in "$observed" "$switched_off"; do
        as_alice scontrol release "$id"
        wait_for_job "$id"
        [ "$(job_state "$id")" = COMPLETED ]
    done
}
# Every answer of the clients is one of these, and each of these was given: expect_answers FILES PATTERN...
expect_answers() {
    local files=$1 pattern
    shift
    [ "$(cat "$files".* | wc -l)" = 200 ]
    run grep -hvE "$(IFS='|' && echo "$*")" "$files".*
    [ -z "$output" ] || { echo "unexpected: $output"; return 1; }
    for pattern in "$@"; do
        grep -hqE "$pattern" "$files".* || { echo "never answered: $pattern"; return 1; }
    done
}
