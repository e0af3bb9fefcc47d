# job_modify: a pending job stays as its contract was judged.
load common
load submit

setup_file() {
    start_submit_cluster
    controller_pid >"$BATS_FILE_TMPDIR/controller"
}
teardown_file() { stop_cluster; }
setup() { id=$(submit_as alice -H -N2 -n4 --mscale-contract=role.loader.cores=1,gpu.sm=16 --wrap true); }
teardown() { expect_nothing_left && expect_same_controller; }

change() { as_alice scontrol update jobid="$id" "$@"; }

@test "its owner can't drop or change its slices" {
    for gres in gres= gres=sm:1 gres=gpu:1; do
        run change "$gres"
        [ "$status" != 0 ]
        expect_text "$output" "Access/permission denied"
    done
    [ "$(job_field "$id" TresPerNode)" = gres:sm:4 ]
}

@test "its owner can't take nodes away, or let in those that can't honour it" {
    fields_before() { grep -oP "(?<= |^)$1=\K[^ ]*" <<<"$whole"; }
    whole=$(as_root scontrol -o show job "$id")
    [[ $(fields_before NumNodes) =~ ^2(-2)?$ ]]
    for word in numnodes=1 excnodelist= excnodelist=n1 numtasks=8; do
        run change "$word"
        [ "$status" != 0 ]
    done
    [ "$(job_field "$id" ExcNodeList)" = n3 ]
    [ "$(job_field "$id" NumNodes)" = "$(fields_before NumNodes)" ]
    [ "$(job_field "$id" NumTasks)" = 4 ]
}

@test "its owner changes what no contract depends on" {
    change timelimit=7 jobname=other comment=mine nice=5
    [ "$(job_field "$id" TimeLimit)" = 00:07:00 ]
}

@test "root may change all of it" {
    as_root scontrol update jobid="$id" gres=sm:1 numnodes=1
    [ "$(job_field "$id" TresPerNode)" = gres:sm:1 ]
}

@test "the elements of an array are held as well" {
    array=$(submit_as alice -H --array=1-3 --mscale-contract=gpu.sm=16 --wrap true)
    for id in "$array" "${array}_2"; do
        run change gres=
        [ "$status" != 0 ]
    done
    run as_root scontrol -o show job "$array"
    [[ $output != *"TresPerNode=gres: "* ]]
}

@test "a job without a contract, and one that is only observed, may be changed" {
    id=$(submit_as alice -H -N2 --gres=sm:2 --wrap true)
    change gres= numnodes=1
    set_mode observe
    id=$(submit_as alice -H -N2 --gres=sm:2 --mscale-contract=gpu.sm=16 --wrap true)
    set_mode enforce
    change gres=sm:1
    [ "$(job_field "$id" TresPerNode)" = gres:sm:1 ]
}

@test "many changes at once neither pass nor stop the controller" {
    for i in $(seq 12); do as_alice scontrol update jobid="$id" gres= >/dev/null 2>&1 3>&- & done
    wait
    [ "$(job_field "$id" TresPerNode)" = gres:sm:4 ]
}

@test "what can't be a job is left to Slurm" {
    for id in 999999 0 x 12_; do
        run change numnodes=1
        [ "$status" != 0 ]
    done
}
