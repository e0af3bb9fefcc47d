# For the fault storm: what can happen to a training, and how it is watched.
load ../common

heat=${BUILD_DIR:-$source_dir/build}/examples/heat
ranks=3 side=128 pause=5 steps_a_fault=1500
contract=ft.every=50,ft.copies=1,ft.spares=2

# Each leaves the machine as it should be again before the next one: what was killed is started.
all_faults="kill_rank kill_rank kill_mscaled kill_mscaled kill_keeping kill_stepd kill_slurmd kill_node kill_batch_host cut_wire flip_byte stop_rank"

start_training() { # STEPS
    steps=$1
    training=$base/home/alice/training.out
    job=$(printf '#!/bin/bash\nmscale run -l -- %s %s %s 0 %s\n' "$heat" "$side" "$steps" "$pause" |
        submit_as alice -o "$training" --open-mode=append -N $ranks -n $ranks --mscale-contract="$contract")
    wait_until "(( \$(last_step) > 0 ))" 90
}

# The step that the slowest rank has told last; 0 before the first.
last_step() {
    local rank least='' step
    for ((rank = 0; rank < ranks; rank++)); do
        step=$(grep -oP "^ *$rank: step \K[0-9]+" "$training" 2>/dev/null | tail -1)
        ((${least:-${step:-0}} < ${step:-0})) || least=${step:-0}
    done
    echo "$least"
}

nodes_of_job() { as_root squeue -h -j "$job" -o %N | xargs -r as_root scontrol show hostnames; }
batch_host() { job_field "$job" BatchHost; }
node_with() { # PROCESS NAME: a node of the job on which it runs, at random
    local node nodes=()
    for node in $(nodes_of_job); do
        ! cluster exec "$node" pgrep -x "$1" >/dev/null || nodes+=("$node")
    done
    ((${#nodes[@]})) && echo "${nodes[RANDOM % ${#nodes[@]}]}"
}
other_than_batch_host() {
    local node nodes=() host
    host=$(batch_host)
    for node in $(nodes_of_job); do [[ $node == "$host" ]] || nodes+=("$node"); done
    ((${#nodes[@]})) && echo "${nodes[RANDOM % ${#nodes[@]}]}"
}

kill_on() { cluster exec "$1" pkill "-$2" -x "$3"; } # NODE SIGNAL PROCESS

kill_rank() { kill_on "$(node_with heat)" KILL heat; }
stop_rank() { kill_on "$(node_with heat)" STOP heat; }
kill_stepd() { cluster exec "$(node_with heat)" pkill -KILL -o -f "^slurmstepd: \[$job\.[0-9]"; }
kill_mscaled() {
    local node
    node=$(node_with mscaled)
    kill_on "$node" KILL mscaled
    sleep "0.$((RANDOM % 10))"
    cluster restart "$node" mscaled
}
# With the holder all memory of the node is gone.
kill_keeping() {
    local node
    node=$(node_with mscaled)
    kill_on "$node" KILL mscale-holder
    kill_on "$node" KILL mscaled
    cluster restart "$node" mscaled
}
kill_slurmd() {
    local node
    node=$(node_with slurmd)
    cluster restart "$node" slurmd
}
revive() { # NODE
    cluster start "$1"
    as_root scontrol update nodename="$1" state=resume
    wait_until "[[ \$(node_state $1) =~ ^(idle|mixed|allocated)\$ ]]" 30
}
kill_node() {
    local node
    node=$(other_than_batch_host) || return
    cluster kill "$node"
    later+=("revive $node")
}
kill_batch_host() {
    local node
    node=$(batch_host)
    cluster kill "$node"
    later+=("revive $node")
}
cut_wire() {
    local node
    node=$(other_than_batch_host) || return
    cluster unplug "$node"
    sleep "0.$((RANDOM % 10))"
    cluster plug "$node"
}
# A byte in the middle of some snapshot memory of a node, and then a rank that needs it.
flip_byte() {
    local node
    node=$(node_with mscaled)
    cluster exec "$node" bash -c '
        pid=$(pgrep -o -x mscaled)
        for file in /proc/$pid/fd/*; do
            [[ $(readlink "$file") == *memfd:mscale* ]] || continue
            size=$(stat -L -c %s "$file")
            printf "\377" | dd of="$file" bs=1 seek=$((size / 2)) conv=notrunc status=none
            exit
        done'
    kill_rank
}

# The training has gone on when every rank has told two newer steps than before.
goes_on_from() { (($(last_step) >= $1 + 200)) || is_over "$job"; }

strike_and_watch() { # NUMBER
    local words fault before begin=$EPOCHREALTIME after
    read -ra words <<<"$all_faults"
    fault=${words[RANDOM % ${#words[@]}]}
    before=$(last_step) later=()
    "$fault" || echo "fault $1: $fault met nothing"
    wait_until "goes_on_from $before" 120 || { echo "after fault $1: $fault at step $before"; tail -20 "$training"; return 1; }
    for after in "${later[@]}"; do $after; done
    echo "# fault $1: $fault at step $before, went on within $(awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }') s" >&3
}

expect_whole_training() {
    local rank
    wait_for_job "$job" $((steps * pause / 1000 * 4 + 120))
    [ "$(job_state "$job")" = COMPLETED ]
    "$heat" "$side" "$steps" 2>/dev/null >"$BATS_TEST_TMPDIR/wanted"
    for ((rank = 0; rank < ranks; rank++)); do
        grep -P "^ *$rank: step" "$training" | sed 's/^ *[0-9]*: //' | sort -u -V >"$BATS_TEST_TMPDIR/found"
        diff "$BATS_TEST_TMPDIR/wanted" "$BATS_TEST_TMPDIR/found"
    done
    # Only the first run of a rank told a first step of the training: none began anew.
    [[ $(grep -cP '^ *0: step 100 ' "$training") == 1 ]]
}

has_no_segments() {
    local node
    for node in $(node_names); do
        [[ -z $(cluster exec "$node" bash -c 'ls -l /proc/[0-9]*/fd 2>/dev/null | grep memfd:mscale') ]] || return 1
    done
}
