# Whose memory the snapshots are: the job's while it holds the node (task/cgroup), the site's when it has left.
load ../common
load snapshots

cgroups=/sys/fs/cgroup/memory # cgroup v1; the guest has v2 (tests/guest/charge.bats)

setup_file() {
    [[ -w $cgroups/cgroup.procs ]] || skip "needs a machine whose memory controller is of cgroup v1"
    start_cluster --nodes 2 --pages 0 --slurm-conf TaskPlugin=task/cgroup,task/affinity --cgroup-conf ConstrainRAMSpace=yes \
        --slurm-conf SelectTypeParameters=CR_Core_Memory --node-conf MemSpecLimit=512 --mscale-conf recovery.held_memory=400MiB
}
teardown_file() { stop_cluster; }
setup() { need_part mscaled mscale-charge spank_mscale job_submit_mscale; }
teardown() { expect_nothing_left && wait_until 'memory_is_gone n1 n2' 20; }

heat=${BUILD_DIR:-$source_dir/build}/examples/heat
state_mib=32 # of each rank, with a plate of 2048 x 2048

begin_job() { # MEMORY OF A NODE, LATER COMMANDS
    output=$base/home/alice/charge.$BATS_TEST_NUMBER.out
    rm -f "$output"
    job=$(printf '#!/bin/bash\nsrun -l %s 2048 1000000\n%s\n' "$heat" "${2:-}" |
        submit_as alice -o "$output" -D "$base/home/alice" -N 2 -n 2 --mem="$1" --requeue \
            --mscale-contract="ft.every=20,ft.copies=1,ft.state=$((state_mib + 1))MiB")
}
group_of() { echo "$cgroups/slurm_$1/uid_60101/job_$job"; } # NODE
charged_mib() { echo $(($(<"$(group_of "$1")/mscale/memory.usage_in_bytes") >> 20)); }
held_mib() { echo $(($(cluster exec "$1" mscale snapshot list --json | jq "[.nodes[0].memory[] | select(.job == $job) | .bytes] | add") >> 20)); }
is_held_twice() { (($(held_mib n1) >= 4 * state_mib && $(held_mib n2) >= 4 * state_mib)); } # own and a copy, two slots each

@test "the snapshots of a job's ranks, and the copies that it holds for others, count in its own memory limit" {
    begin_job 600
    wait_until is_held_twice 60
    for node in n1 n2; do (($(charged_mib $node) >= $(held_mib $node) && $(charged_mib $node) <= $(held_mib $node) + 2)); done
    expect_text "$(cluster exec n1 mscale status "$job")" "are charged to the job: " " of its 600 MiB are used"
    expect_text "$(cluster exec n2 mscale snapshot list)" "job $job: " "are charged to the job"
}

@test "they are the job's between its steps, too, and nothing is left of its cgroup afterwards" {
    begin_job 600 'sleep 1000'
    wait_until is_held_twice 60
    as_root scancel --signal=KILL "$job.0"
    wait_until '[[ ! -e $(group_of n2)/step_0 ]]' 20
    (($(charged_mib n2) >= $(held_mib n2)))
    as_root scancel "$job"
    wait_until '[[ ! -e $(group_of n2) && ! -e $(group_of n1)/mscale ]]' 30
}

@test "a state that the job's limit can't hold is refused with the numbers, and the kernel kills nobody" {
    begin_job 120
    wait_until 'grep -q MSC-R004 "$output"' 60
    expect_text "$(<"$output")" "2 slots x " " x 1 ranks x (1 + 1 copies) take " "of the job's memory limit of 120 MiB " " are used" \
        "ask Slurm for more memory (--mem)"
    wait_for_job "$job" 60 || as_root scancel "$job"
    [[ $(job_state "$job") != OUT_OF_MEMORY ]]
}

@test "what a requeued job leaves on a node is the site's, and mscale snapshot list says so" {
    begin_job 600
    wait_until is_held_twice 60
    as_root scontrol requeue "$job"
    wait_until '[[ ! -e $(group_of n2) ]]' 30
    expect_text "$(cluster exec n2 mscale snapshot list)" "job $job: " "of [recovery] held_memory: the job has left the node" alice
    for node in n1 n2; do cluster exec $node mscale snapshot drop "$job"; done
    [[ $(cluster exec n2 mscale snapshot list) == *"no snapshot is held"* ]]
}

@test "doctor compares held_memory with what Slurm hands out, and says who pays" {
    run as_root mscale doctor
    expect_text "$output" "held_memory          400 MiB, which Slurm hands out on none of the 2 nodes" \
        "charged to the job that saves them (task/cgroup)"
}
