# A node that is cut off while its rank goes on writing, and memory that doesn't suffice, on a real Slurm.
load ../common
load lost_nodes
load snapshots
load heat

setup_file() { start_cluster --nodes 4 --pages 0 --mscale-conf recovery.memory=64MiB --mscale-conf recovery.max_down_per_hour=50; }
teardown_file() { stop_cluster; }
setup() { need_part mscaled spank_mscale job_submit_mscale; }
teardown() {
    cluster exec ctl ip link set n2 up
    [[ $(node_state n2) != down* ]] || as_root scontrol update nodename=n2 state=resume || true
    expect_nothing_left
}

heat=${BUILD_DIR:-$source_dir/build}/examples/heat
steps=12000

is_alive_on() { cluster exec "$1" pgrep -x heat; } # NODE
log_of() { cat "$base/log/$1.mscaled.out"; }
# The run whose snapshots are committed, and its step, as n1 knows them.
committed_run() { cluster exec n1 mscale snapshot list --json | jq -r ".nodes[0].records[] | select(.job == $job) | \"\(.step_id)\""; }

@test "a node that is cut off and goes on writing is fenced: what it sends when the wire is back is refused, and changes nothing" {
    spill=$base/home/alice/partition.spill
    rm -rf "$spill"
    begin_heat 3 "ft.copies=1,ft.spares=1,ft.spill=$spill,ft.spill_every=2"
    is_past 2000
    cluster exec ctl ip link set n2 down
    goes_on 3
    is_alive_on n2 # nobody has told it
    says "with n4 in place of n2"
    committed=$(committed_step n1)
    wait_until "((\$(committed_step n1) > committed + 200))" 30
    is_alive_on n2
    cluster exec ctl ip link set n2 up
    wait_until "log_of n2 | grep -E 'MSC-R00[0-9]+.*newer run'" 40
    log_of n2 | grep -E 'newer run' | tail -n 2
    end_job COMPLETED
    expect_same_heat
    expect_no_new_beginning
    [[ $(ls "$spill/mscale-$job" | grep -c 'run-0.0') == 0 ]] # the old run's files gave way, and no late one came back
}

@test "a state that doesn't fit into [recovery] memory is refused with the numbers, and no node suffers for it" {
    output_file=$base/home/alice/memory.out
    rm -f "$output_file"
    run submit_as alice -N 2 -n 2 -w n1,n3 -o "$output_file" --mscale-contract=ft.every=100,ft.copies=1 --wrap "srun $heat 2048 200"
    job=$output
    [[ $job =~ ^[0-9]+$ ]] || job=$(tail -n 1 <<<"$output")
    wait_for_job "$job" 60
    cat "$output_file"
    [[ $(job_state "$job") == FAILED ]]
    grep -E "MSC-R00[0-9].*MiB.*64 MiB" "$output_file"
    expect_node_idle n1 n3
    job=$(submit_as alice -N 2 -n 2 -w n1,n3 -o "$output_file" --mscale-contract=ft.every=100,ft.copies=1 --wrap "srun $heat 512 400")
    wait_for_job "$job" 60
    [[ $(job_state "$job") == COMPLETED ]]
}
