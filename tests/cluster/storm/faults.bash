# The faults of the fault storm: each function does one to the job's training and says on which node.  Sourced by
# fault_storm.bats, which sets `job`, `work` (where the ranks note their samples) and `ranks`.
all_faults="rank hung_rank mscaled holder both stepd slurmd flipped_byte partition node"

# -- where things are --------------------------------------------------------------------------------------------------
# The nodes on which ranks of the newest step run, looked for from outside: a cluster's own commands take a while each.
training_nodes() {
    local pid
    for pid in $(pgrep -f "^/usr/bin/python3 .*samples.py $work "); do nsenter -t "$pid" -u hostname; done 2>/dev/null | sort -u
}
rank_pids() { cluster exec "$1" pgrep -f "^/usr/bin/python3 $source_dir/tests/cluster/storm/samples.py" || true; } # NODE
pick() { (($# == 0)) || { local -a all=("$@"); echo "${all[RANDOM % $#]}"; }; }
is_up() { cluster exec "$1" true 2>/dev/null; }

# -- one fault each, on a node of the training ------------------------------------------------------------------------
fault_rank() { cluster exec "$1" pkill -KILL -f "^/usr/bin/python3 .*samples.py"; }
fault_hung_rank() { cluster exec "$1" pkill -STOP -f "^/usr/bin/python3 .*samples.py"; }
fault_mscaled() { cluster stop "$1" mscaled KILL && cluster restart "$1" mscaled; }
fault_holder() { cluster stop "$1" mscale-holder KILL; }
fault_both() {
    cluster stop "$1" mscaled KILL
    cluster stop "$1" mscale-holder KILL
    cluster restart "$1" mscaled
}
fault_stepd() { cluster exec "$1" pkill -KILL -f "^slurmstepd: \[$job\.[0-9]"; }
fault_slurmd() { cluster stop "$1" slurmd KILL && cluster restart "$1" slurmd; }
fault_flipped_byte() { cluster exec "$1" python3 "$source_dir/tests/cluster/loss/flip.py" "$job" - data && fault_rank "$1"; }
fault_node() { kill_node "$1"; }
# The wire of a node that lives: the others take it for dead, and what it still sends when the wire is back comes too late.
fault_partition() {
    lost+=("$1")
    cluster exec ctl ip link set "$1" down
    wait_until "[[ \$(node_state $1) == down* ]]" 30
    sleep 1
    cluster exec ctl ip link set "$1" up
}
# The script's own node dies only by a requeue, which is another storm.
may_lose() { [[ $1 != "$(job_field "$job" BatchHost)" ]]; }

# -- what must hold after each -----------------------------------------------------------------------------------------
newest_step() { tail -qn 1 "$work"/[0-9]* 2>/dev/null | cut -d' ' -f1 | sort -n | head -1; } # of the slowest rank
committed_now() { committed_step n1 2>/dev/null; }
# Training goes on and commits: more is committed now than was done then.
expect_progress() { # STEP
    wait_until "is_over $job || (( \$(committed_now) > $1 )) || waits_for_nodes" 90
    ! is_over "$job" || { echo "the job is $(job_state "$job")"; return 1; }
}
# Its spares are used up: it was requeued, and begins again when its nodes serve again.  Never true.
waits_for_nodes() {
    [[ $(job_state "$job") == PENDING ]] && mend_nodes
    return 1
}
# Nodes that were lost serve again, as an administrator would see to it.
mend_nodes() {
    local node
    for node in "${lost[@]}"; do
        is_up "$node" || cluster start "$node"
        wait_until "[[ \$(node_state $node) != *'*'* ]]" 40
        [[ $(node_state "$node") != down* ]] || as_root scontrol update nodename="$node" state=resume || true
        wait_until "[[ \$(node_state $node) != down* ]]" 20
    done
    lost=()
}
