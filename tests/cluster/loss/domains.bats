# Failure domains: what a leaf switch takes with it is kept behind another one.
load ../common
load lost_nodes
load snapshots

setup_file() { start_cluster --nodes 6 --pages 0 --switches 3 --mscale-conf recovery.max_down_per_hour=20 \
        --mscale-conf recovery.held_memory=256MiB --mscale-conf recovery.rate=100KiB; }
teardown_file() { stop_cluster; }
setup() { need_part mscaled spank_mscale job_submit_mscale; }
teardown() {
    bring_back_lost_nodes
    expect_nothing_left
}

heat=${BUILD_DIR:-$source_dir/build}/examples/heat
steps=8000

begin_job() { # LAUNCHER, SBATCH-ARGS...
    local launcher=$1
    shift
    output_file=$base/home/alice/domains.$BATS_TEST_NUMBER.out
    job=$(printf '#!/bin/bash\n%s %s 256 %s 0 1\n' "$launcher" "$heat" "$steps" | submit_as alice --open-mode=append -o "$output_file" "$@")
}
is_past() { wait_until "grep -qE 'step $1 ' $output_file" 90; } # STEP
last_step() { grep -oP '(^|: )step \K[0-9]+' "$output_file" | sort -n | tail -1; }
ranks_that_go_on() { grep -oP '^\K[0-9]+(?=: goes on with step)' "$output_file" | sort -u | wc -l; }
lie_apart() { [[ "$(copies_on n1)$(copies_on n2)$(copies_on n3)$(copies_on n4)" == "[2][3][0][1]" ]]; }
# Ranks of which a node holds the copy.
copies_on() { cluster exec "$1" mscale snapshot list --json | jq -c "[.nodes[0].segments[] | select(.job == $job and .kind == \"copy\") | .rank]"; }

@test "both nodes of a switch die at once: the requeued job goes on from its last commit, since their copies lie behind another" {
    begin_job "srun -l" -N 4 -n 4 --requeue --mscale-contract=ft.every=100,ft.copies=1,ft.state=2MiB
    is_past 1500
    # A ring of the nodes alone would have put the copy of n3 on n4.
    wait_until 'lie_apart' 10
    cluster kill n3 &
    cluster kill n4 &
    wait
    lost=(n3 n4)
    ended=$(last_step)
    wait_until '[[ $(ranks_that_go_on) == 4 ]]' 120 || { grep -v ": step " "$output_file"; return 1; }
    resumed=$(grep -oP 'goes on with step \K[0-9]+' "$output_file" | sort -u)
    ((resumed > 1 && resumed > ended - 1000))
    wait_for_job "$job" 180
    [[ $(job_state "$job") == COMPLETED ]]
    [[ $(grep -c "$("$heat" 256 $steps 2>/dev/null | tail -1)" "$output_file") == 4 ]]
}

@test "a job within one switch runs all the same, and is told that the switch takes rank and copy" {
    begin_job "srun -l" -w n5,n6 -N 2 -n 2 --mscale-contract=ft.every=100,ft.copies=1,ft.state=2MiB
    is_past 1000
    wait_until '[[ $(admin_comment $job) == *" exposed=s3"* ]]' 30
    expect_text "$(cluster exec n5 mscale status "$job")" "(exposed: its copies lie in the same failure domain, s3)"
    [[ $(contract_state "$job") == honoured ]]
    as_root scancel "$job"
}

@test "doctor says what may be lost together, and the site may say it itself" {
    run cluster exec n1 mscale doctor
    expect_text "$output" "6 of 6 nodes in 3 domains, the largest of 2 ([recovery] domains = switch)"
}

@test "a state that is known only when it is registered is held against KillWait, with numbers" {
    begin_job "srun -l" -N 2 -n 2 --mscale-contract=ft.every=1000,ft.copies=1
    is_past 100
    wait_until '[[ $(admin_comment $job) =~ \ grace=[0-9.]+s_needed_of_3s_\(KillWait\) ]]' 30
    as_root scancel "$job"
}
