# The client's side of the plugin: what sbatch, srun and salloc make of --mscale-contract, and which job gets which contract.
load common
load spank

setup_file() {
    # Only the backfill scheduler starts a het job.
    start_spank_cluster --mscale-conf daemon.report_deadline=5s --mscale-conf daemon.reconcile_interval=3s \
        --slurm-conf SchedulerParameters=bf_interval=2
}
teardown_file() { stop_cluster; }
teardown() {
    expect_nothing_left
}

@test "a broken contract is refused with a caret by sbatch, srun and salloc, and nothing is submitted" {
    before=$(newest_job)
    for command in "sbatch --wrap true" "srun true" "salloc true"; do
        read -r program rest <<<"$command"
        # shellcheck disable=SC2086
        run as_alice $program --mscale-contract=role.loader.coers=2 $rest
        [[ $status == 1 || $status == 255 ]]
        expect_text "$output" "$program: error: mscale:" "MSC-P002" "coers" "^"
    done
    [ "$(newest_job)" = "$before" ]
}

@test "all faults of a contract are told at once" {
    run as_alice sbatch --mscale-contract=role.loader.coers=2,gpu.memory=20MB,role.9.cores=1 --wrap true
    [ "$status" = 1 ]
    expect_text "$output" "coers" "20MB" "role.9"
}

@test "the contract of the script is amended by a + on the command line" {
    run_batch --mscale-contract=+role.b.cores=1 <<'SCRIPT'
#!/bin/bash
#SBATCH --mscale-contract=role.a.cores=1,role.b.hugepages=2MiB*1
true
SCRIPT
    expect_completed "$id"
    [ "$(contract_of "$id")" = "role.a.cores=1,role.b.cores=1,role.b.hugepages=2MiB*1" ]
}

@test "without a + the later contract replaces the earlier one, and the dropped clauses are told" {
    script=$(printf '#!/bin/bash\n#SBATCH --mscale-contract=role.a.cores=1\ntrue\n' | user_file alice script.sh)
    run as_alice sbatch --wait --mscale-contract=role.b.cores=1 "$script"
    expect_text "$output" "role.a.cores"
    id=$(grep -oP 'batch job \K\d+' <<<"$output")
    expect_completed "$id"
    [ "$(contract_of "$id")" = "role.b.cores=1" ]
}

@test "a file is read by the client, as the user and relative to where he submits" {
    printf '[role.loader]\ncores = 1\n' | user_file alice contract.ini
    chmod 0600 "$base/home/alice/contract.ini"
    run_line true --mscale-contract=@contract.ini
    expect_completed "$id"
    [ "$(contract_of "$id")" = "role.loader.cores=1" ]
}

@test "a file that the user can't read is refused, and root never opens it" {
    printf '[role.secret]\ncores = 1\n' >"$base/log/secret.ini"
    chmod 0600 "$base/log/secret.ini"
    run as_alice sbatch --mscale-contract="@$base/log/secret.ini" --wrap true
    [ "$status" = 1 ]
    expect_text "$output" "MSC-P018" "secret.ini"
    [[ $output != *role.secret* ]]
}

@test "MSCALE_CONTRACT counts where no option is given, and no job ever sees it" {
    run_script='#!/bin/bash
env | grep MSCALE_CONTRACT && exit 9
srun bash -c "! env | grep MSCALE_CONTRACT"'
    script=$(user_file alice script.sh <<<"$run_script")
    id=$(as_alice env MSCALE_CONTRACT=role.twin.cores=1 sbatch --parsable "$script")
    wait_for_job "$id"
    [ "$(job_state "$id")" = COMPLETED ]
    [ "$(contract_of "$id")" = "role.twin.cores=1" ]
    id=$(as_alice env MSCALE_CONTRACT=role.twin.cores=1 sbatch --parsable --mscale-contract=role.option.cores=1 "$script")
    wait_for_job "$id"
    expect_completed "$id"
    [ "$(contract_of "$id")" = "role.option.cores=1" ]
}

@test "a MSCALE_CONTRACT that --export names is unset in the task" {
    run as_alice srun --export=ALL,MSCALE_CONTRACT=role.loader.cores=1 bash -c 'echo "twin: ${MSCALE_CONTRACT-unset}"'
    expect_text "$output" "twin: unset"
}

@test "--export=NONE and --export=NIL hand the contract over as well" {
    for environment in NONE NIL; do
        run_line 'export PATH=/usr/bin:/bin; srun /usr/bin/env' --export=$environment --mscale-contract=role.export.cores=1
        expect_text "$text" "MSCALE_ROLE_EXPORT_CPUS=" "MSCALE_JOB=$id"
        [ "$(job_state "$id")" = COMPLETED ]
        [ "$(contract_of "$id")" = "role.export.cores=1" ]
    done
}

@test "B25: what sbatch says of a script with CR LF is not hidden" {
    script=$(user_file alice crlf.sh <"$source_dir/tests/fixtures/cases/slurm/sbatch_crlf.sh")
    printf '[role.loader]\r\ncores = 1\r\n' | user_file alice demo.ini
    run as_alice sbatch "$script"
    [ "$status" != 0 ]
    expect_text "$output" "DOS line breaks"
    run_line true --mscale-contract=@demo.ini # and the contract's own file may have them
    [ "$(contract_of "$id")" = "role.loader.cores=1" ]
}

# A node that loads no SPANK plugin: without_plugin NODE, with_plugin NODE
without_plugin() {
    touch "$base/log/no-plugins"
    cluster exec "$1" mount --bind "$base/log/no-plugins" "$base/etc/plugstack.conf"
}
with_plugin() { cluster exec "$1" umount "$base/etc/plugstack.conf"; }

@test "B22: a node without the plugin can't keep a job that has a contract" {
    without_plugin n2
    id=$(submit_as alice -w n2 --mscale-contract=role.loader.cores=1 --wrap "sleep 60")
    wait_for_job "$id" 40 || true
    with_plugin n2
    [ "$(job_state "$id")" = CANCELLED ]
    expect_text "$(admin_comment "$id")" "state=refused" "n2"
}

@test "B22: nor can a node of two that has neither the plugin nor mscaled" {
    without_plugin n2
    cluster stop n2 mscaled
    id=$(submit_as alice -w n1,n2 --mscale-contract=role.loader.cores=1 --wrap "sleep 60")
    wait_for_job "$id" 40 || true
    with_plugin n2
    cluster restart n2 mscaled
    [ "$(job_state "$id")" = CANCELLED ]
    expect_text "$(admin_comment "$id")" "state=refused" "silent=n2"
}

@test "an inner sbatch has its own contract, not the outer one's" {
    printf '#!/bin/bash\n#SBATCH -w n2 --mscale-contract=role.inner.cores=1\ntrue\n' | user_file alice inner.sh
    run_line 'sbatch --wait inner.sh' -w n1 --mscale-contract=role.outer.cores=1
    inner=$(grep -oP 'batch job \K\d+' <<<"$text")
    expect_completed "$id" "$inner"
    [ "$(contract_of "$id")" = "role.outer.cores=1" ]
    [ "$(contract_of "$inner")" = "role.inner.cores=1" ]
}

@test "an inner sbatch without a contract has none, and sees nothing of the outer one's" {
    run_line 'sbatch --wait -w n2 -o inner.txt --wrap "env"' -w n1 --mscale-contract=role.outer.cores=1
    inner=$(grep -oP 'batch job \K\d+' <<<"$text")
    [ "$(calls_of "$inner")" = 0 ]
    run grep -E '^MSCALE_(ROLE|WORKER|JOB|CONTRACT)|SPANK.*(mscale|MSCALE)' "$base/home/alice/inner.txt"
    [ "$output" = "" ]
}

@test "a nested srun holds the job's contract without its option or its file" {
    printf '[role.loader]\ncores = 1\n' | user_file alice gone.ini
    run_line 'rm gone.ini; echo "batch: $(env | grep -c SPANK)"; srun bash -c "echo step: \$(env | grep -c SPANK); env"' \
        --mscale-contract=@gone.ini
    [ "$(job_state "$id")" = COMPLETED ]
    expect_text "$text" "MSCALE_ROLE_LOADER_CPUS=" "MSCALE_JOB=$id" "batch: 0" "step: 0"
    [[ $text != *SLURM_SPANK_* && $text != *_SLURM_SPANK_OPTION_* ]]
}

@test "a step can't have a contract of its own" {
    run_line 'srun --mscale-contract=role.step.cores=1 echo the step ran' --mscale-contract=role.loader.cores=1
    expect_text "$text" "a contract belongs to the whole job" "part of job $id"
    [[ $text != *"the step ran"* ]]
}

@test "salloc holds the contract for each srun in it" {
    run as_alice salloc --mscale-contract=role.loader.cores=1 bash -c 'srun env; srun env; sbatch -w n3 --wait --wrap true'
    [ "$status" = 0 ]
    [ "$(grep -c MSCALE_ROLE_LOADER_CPUS= <<<"$output")" = 2 ]
    [ "$(contract_of "$(grep -oP 'job allocation \K\d+' <<<"$output" | head -1)")" = "role.loader.cores=1" ]
    [ "$(calls_of "$(grep -oP 'batch job \K\d+' <<<"$output")")" = 0 ]
}

@test "every element of an array holds the contract" {
    array=$(submit_as alice --array=1-3 --mscale-contract=role.loader.cores=1 --wrap true)
    wait_for_job "${array}_1" && wait_for_job "${array}_2" && wait_for_job "${array}_3"
    for element in 1 2 3; do
        expect_completed "${array}_$element"
        [ "$(contract_of "$(job_field "${array}_$element" JobId)")" = "role.loader.cores=1" ]
    done
}

@test "each component of a het job has its own contract, or none" {
    id=$(submit_as alice -w n1 --mscale-contract=role.first.cores=1 : -w n2 --mscale-contract=role.second.cores=1 : \
        -w n3 --wrap 'srun --het-group=0,1,2 true')
    wait_for_job "$id"
    [ "$(contract_of "$id")" = "role.first.cores=1" ]
    [ "$(contract_of $((id + 1)))" = "role.second.cores=1" ]
    [ "$(calls_of $((id + 2)))" = 0 ]
    [ "$(job_state "$id")" = COMPLETED ]
}

@test "srun as allocator of a het job hands over each component's contract, or none" {
    run as_alice srun -w n1 --mscale-contract=role.first.cores=1 : -w n2 \
        bash -c 'echo "$(hostname) of $SLURM_JOB_ID: ${MSCALE_ROLES-none}"'
    [ "$status" = 0 ]
    id=$(grep -oP 'n1 of \K\d+' <<<"$output")
    expect_text "$output" "n1 of $id: first" "n2 of $id: none"
    [ "$(contract_of "$id")" = "role.first.cores=1" ]
    [ "$(calls_of $((id + 1)))" = 0 ]
}

@test "srun and salloc of a het job hand over each component's own contract" {
    run as_alice srun -w n1 --mscale-contract=role.first.cores=1 : -w n2 --mscale-contract=role.second.cores=1 \
        bash -c 'echo "$(hostname) of $SLURM_JOB_ID: ${MSCALE_ROLES-none}"'
    [ "$status" = 0 ]
    id=$(grep -oP 'n1 of \K\d+' <<<"$output")
    expect_text "$output" "n1 of $id: first" "n2 of"
    [[ $output == *": second"* ]]
    [ "$(contract_of "$id")" = "role.first.cores=1" ]
    [ "$(contract_of $((id + 1)))" = "role.second.cores=1" ]
    run as_alice salloc -w n1 --mscale-contract=role.third.cores=1 : -w n2 --mscale-contract=role.fourth.cores=1 \
        srun --het-group=0,1 bash -c 'echo "$(hostname): ${MSCALE_ROLES-none}"'
    [ "$status" = 0 ]
    expect_text "$output" "n1: third" "n2: fourth"
    id=$(grep -oP 'job allocation \K\d+' <<<"$output" | head -1)
    [ "$(contract_of "$id")" = "role.third.cores=1" ]
    [ "$(contract_of $((id + 1)))" = "role.fourth.cores=1" ]
}

@test "each node of a job is given the verified contract" {
    run_line 'srun true' -N3 --mscale-contract=role.loader.cores=1
    expect_completed "$id"
    [ "$(contract_of "$id" 3)" = "role.loader.cores=1" ]
}

@test "a batch script that sets our variables under a contract changes nothing for its steps" {
    run_line 'export SLURM_SPANK_MSCALE_VERIFIED=x SLURM_SPANK_MSCALE_CONTRACT=gpu.sm=8 MSCALE_JOB=1 MSCALE_ROLES=forged
        export MSCALE_ROLE_LOADER_CPUS=99 MSCALE_WORKER=7 MSCALE_CONTRACT=gpu.sm=8
        srun env' --mscale-contract=role.loader.cores=1
    expect_completed "$id"
    expect_text "$text" "MSCALE_ROLES=loader" "MSCALE_JOB=$id" "MSCALE_WORKER=0" "MSCALE_ROLE_LOADER_CPUS="
    [[ $text != *forged* && $text != *CPUS=99* && $text != *MSCALE_CONTRACT* && $text != *MSCALE_VERIFIED* ]]
    [ "$(contract_of "$id")" = "role.loader.cores=1" ]
}

@test "sbatch --parsable prints the job's number alone, while a note is told" {
    script=$(printf '#!/bin/bash\n#SBATCH --mscale-contract=role.a.cores=1\ntrue\n' | user_file alice script.sh)
    as_alice sbatch --parsable --mscale-contract=role.b.cores=1 "$script" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
    expect_text "$(<"$BATS_TEST_TMPDIR/err")" "role.a.cores"
    [[ $(<"$BATS_TEST_TMPDIR/out") =~ ^[0-9]+$ ]]
    wait_for_job "$(<"$BATS_TEST_TMPDIR/out")"
}

@test "a job without a contract runs nothing of mscale and sees none of its variables" {
    run_line env
    [ "$(job_state "$id")" = COMPLETED ]
    [ "$(calls_of "$id")" = 0 ]
    [[ $text != *MSCALE_ROLE* && $text != *MSCALE_JOB* && $text != *SPANK* ]]
}

@test "the option shows in --help" {
    run as_alice srun --help
    expect_text "$output" "--mscale-contract="
}

@test "an unknown word in plugstack.conf is told to who asks for a contract, and fails no hook on a node" {
    sed -i 's/$/ colour=red/' "$base/etc/plugstack.conf"
    run as_alice srun true
    plain=$status
    run as_alice srun --mscale-contract=role.loader.cores=1 true
    sed -i 's/ colour=red$//' "$base/etc/plugstack.conf"
    [ "$plain" = 0 ]
    [ "$status" = 1 ]
    expect_text "$output" "colour=red" "MSC-C003"
    expect_all_idle
}

@test "a forged variable is no contract where job_submit is loaded" {
    id=$(as_alice "${BUILD_DIR:-$source_dir/build}/tests/doubles/api_client" MSCALE_VERIFIED=role.loader.cores=1)
    wait_for_job "$id"
    [ "$(job_state "$id")" = COMPLETED ]
    [ "$(calls_of "$id")" = 0 ]
}

@test "an oversize entry is refused by the client before it can drain a node" {
    run as_alice sbatch --mscale-contract="role.a.cores=1,$(head -c 70000 /dev/zero | tr '\0' 'x')" --wrap true
    [ "$status" != 0 ]
    expect_text "$output" "MSC-P015"
    expect_all_idle
}
