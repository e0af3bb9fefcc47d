# ft.redundancy on a real Slurm: nodes of a coded group die, and what they held is made again from the others.
load ../common
load lost_nodes
load snapshots

setup_file() { start_cluster --nodes 6 --pages 0 --mscale-conf recovery.max_down_per_hour=20; }
teardown_file() { stop_cluster; }
setup() { need_part mscaled spank_mscale job_submit_mscale; }
teardown() {
    bring_back_lost_nodes
    expect_nothing_left
}

heat=${BUILD_DIR:-$source_dir/build}/examples/heat
steps=8000
# Each rank has a plate of its own size: no two of a group hold the same bytes, or as many.
program="sh -c 'exec $heat \$((256 + 16 * SLURM_PROCID)) $steps 0 1'"

lines_of() { grep "^ *$1: $2" "$3" | sed 's/^ *[0-9]*: //'; } # RANK PATTERN FILE
begin_job() { # RANKS CONTRACT
    ranks=$1
    output_file=$base/home/alice/redundancy.$BATS_TEST_NUMBER.out
    job=$(printf '#!/bin/bash\nmscale run -l -- %s\n' "$program" |
        submit_as alice -o "$output_file" -N "$1" -n "$1" --mscale-contract="ft.every=100,ft.state=2MiB,$2")
}
end_job() { # STATE
    wait_for_job "$job" 180 || { grep -vE '^ *[0-9]+: step ' "$output_file"; return 1; }
    grep -vE '^ *[0-9]+: step ' "$output_file" || true
    [[ $(job_state "$job") == "$1" ]] || { echo "the job is $(job_state "$job")"; return 1; }
}
says() { grep -q "^mscale run: .*$1" "$output_file" || { echo "mscale run didn't say '$1'"; return 1; }; }
is_past() { wait_until "grep -qE 'step $1 ' $output_file" 90; } # STEP
goes_on() { wait_until "[[ \$(grep -c 'goes on with step' $output_file) == $1 ]]" 90; } # RANKS
expect_same_heat() {
    local rank
    for ((rank = 0; rank < ranks; ++rank)); do
        "$heat" $((256 + 16 * rank)) "$steps" 2>/dev/null >"$BATS_TEST_TMPDIR/wanted"
        lines_of "$rank" step "$output_file" | sort -u -V >"$BATS_TEST_TMPDIR/found"
        diff "$BATS_TEST_TMPDIR/wanted" "$BATS_TEST_TMPDIR/found"
    done
}
# How many of the kind have a committed snapshot on a node.
committed_of() { # NODE KIND
    cluster exec "$1" mscale snapshot list --json |
        jq "[.nodes[0].segments[] | select(.job == $job and .kind == \"$2\" and any(.slots[]; .committed))] | length"
}
verified() { # NODE: kind and result of each slot
    cluster exec "$1" mscale snapshot verify "$job" --json | jq -r '.checks[] | "\(.kind) \(.result)"' | sort -u | xargs
}

@test "a node of an xor group dies: its rank is made again from the others, and the output is that of an undisturbed run" {
    begin_job 3 ft.redundancy=xor:3,ft.spares=1
    is_past 2000
    [[ $(committed_of n2 own) == 1 && $(committed_of n2 coded) == 1 && $(committed_of n2 copy) == 0 ]]
    local found
    found=$(verified n1)
    [[ $found == *"coded whole"* && $found != *damaged* ]]
    kill_node n2
    goes_on 3
    wait_until '[[ $(committed_of n4 coded) == 1 ]]' 30
    end_job COMPLETED
    says "restart 1 of 10 with n4 in place of n2, going on with step"
    expect_same_heat
}

@test "after a loss the missing part lies on the spare: the next node may die" {
    begin_job 3 ft.redundancy=xor:3,ft.spares=2
    is_past 2000
    kill_node n2
    goes_on 3
    wait_until '[[ $(committed_of n4 coded) == 1 ]]' 30
    is_past 5000 # a node that dies as its step begins may leave Slurm 22.05 with a step that never ends
    kill_node n3 # n1 is the batch host
    end_job COMPLETED
    says "restart 2 of 10"
    expect_same_heat
}

@test "a second node of a Reed-Solomon group dies while the first one is being replaced" {
    begin_job 4 ft.redundancy=rs:2+2,ft.spares=2
    is_past 2000
    kill_node n2
    wait_until "grep -q 'with n5 in place of n2' $output_file" 60
    kill_node n3
    end_job COMPLETED
    says "with n6 in place of n3"
    expect_same_heat
}

@test "a job with fewer nodes than a group has ranks is refused" {
    run begin_job 2 ft.redundancy=xor:4
    [[ $output == *"MSC-R010 ft.redundancy=xor:4: its groups have 4 ranks, each on a node of its own, and the job asks for 2 nodes"* ]]
}
