# SIGKILL at a point of the protocol (point_table.bash): gdb stops the process at a function's entry and the blow falls there.
# The product knows nothing of it; where the build has no such symbol the point is told as missed, which fails the test.

# Of this machine's processes (PIDs) the first on the node.
first_on() { # NODE PID...
    local node=$1 pid
    shift
    for pid in "$@"; do
        [[ $(nsenter -t "$pid" -u hostname 2>/dev/null) != "$node" ]] || { echo "$pid"; return; }
    done
}
rank_pid() { first_on "$1" $(pgrep -n -f "^/usr/bin/python3 .*samples.py $work ") $(pgrep -f "^/usr/bin/python3 .*samples.py $work "); } # NODE
daemon_pid() { first_on "$1" $(pgrep -f "^$base/bin/mscaled "); } # NODE
run_pid() { pgrep -o -f "^mscale run .*samples.py $work "; }
is_gone() { [[ ! -e /proc/$1 ]] || grep -q '^State:.Z' "/proc/$1/status"; } # PID

# Each rank of the newest run trains, and none of an older one is left.
all_train() { (($(training_nodes | wc -l) == ranks && $(pgrep -fc "^/usr/bin/python3 .*samples.py $work ") == ranks)); }
# The node that plays a role now.
node_of() { # ROLE
    local first
    first=$(job_field "$job" BatchHost)
    case $1 in
    first) echo "$first" ;;
    other) training_nodes | grep -vx "$first" | head -1 ;;
    third) training_nodes | grep -vx "$first" | tail -1 ;;
    esac
}

# gdb waits for the process at the function; `waiter` is who waits.  There the process itself is killed, or it stands still until
# the test has struck (`struck`).
arm() { # PID FUNCTION VICTIM
    local at_point=kill
    [[ $3 == self ]] || at_point="shell until [ -e '$BATS_TEST_TMPDIR/struck' ] || grep -q '^State:.Z' /proc/$1/status; do sleep 0.02; done"
    rm -f "$BATS_TEST_TMPDIR"/{armed,reached,struck}
    timeout 40 gdb -nx -batch -iex 'set auto-load off' -iex 'set sysroot /' -p "$1" -ex 'set confirm off' -ex 'set breakpoint pending on' \
        -ex 'handle SIGPIPE SIGUSR1 SIGUSR2 SIGTERM nostop noprint pass' -ex "break $2" -ex 'shell touch '"$BATS_TEST_TMPDIR/armed" -ex continue \
        -ex "shell touch '$BATS_TEST_TMPDIR/reached'" -ex "$at_point" </dev/null >"$BATS_TEST_TMPDIR/gdb" 2>&1 3>&- &
    waiter=$!
    wait_until "[[ -e $BATS_TEST_TMPDIR/armed ]]" 30
}
was_reached() { [[ -e $BATS_TEST_TMPDIR/reached ]] && grep -q '^Thread .* hit Breakpoint\|^Breakpoint 1, ' "$BATS_TEST_TMPDIR/gdb"; }
await_point() {
    wait_until "[[ -e $BATS_TEST_TMPDIR/reached ]] || is_gone $waiter" 45
    was_reached || { echo "the point wasn't reached"; cat "$BATS_TEST_TMPDIR/gdb"; return 1; }
}

# The moment of the point, brought about from outside.
aim() { # VICTIM PROGRAM FUNCTION WHEN
    if [[ $2:$4 == python3:restore ]]; then
        aim_at_begin "$1" "$3"
        return
    fi
    [[ $2 == mscaled ]] && arm "$(daemon_pid "$node")" "$3" "$1"
    [[ $2 == mscaled ]] || arm "$rank" "$3" "$1"
    [[ $4 != restore ]] || fault_rank "$third"
    [[ $4 != leave ]] || kill -TERM "$run"
}
# A rank that is to be stopped at its begin waits at the gate until gdb has come.  The run before it is told to end: two ranks that
# are killed at the same step would be the program's own fault.
aim_at_begin() { # VICTIM FUNCTION
    touch "$work/gate"
    kill -TERM "$run"
    wait_until "is_gone $run && all_train" 40 || { tail -n 30 "$output_file"; return 1; }
    take_places # the new run begins on nodes of its own choice
    arm "$rank" "$2" "$1"
    rm "$work/gate"
}

# The blow, where it isn't gdb's, and what is to be seen of it before the training goes on.
strike() { # VICTIM PROGRAM
    case $1 in
    stepd) cluster exec "$node" pkill -KILL -f "^slurmstepd: .$job\.[0-9]" ;;
    node) kill_node "$node" ;;
    esac
    touch "$BATS_TEST_TMPDIR/struck"
    wait "$waiter" || true
    [[ $1:$2 != self:mscaled ]] || cluster restart "$node" mscaled
}

# The script's own node has died: the job is requeued, on nodes that serve again.
begin_requeued() {
    wait_until "[[ \$(job_state $job) == PENDING ]]" 60
    mend_nodes
    hurry_job "$job" "[[ \$(job_state $job) == RUNNING ]]" 60
}

take_places() { node=$(node_of "$role") third=$(node_of third) rank=$(rank_pid "$node") run=$(run_pid); }

# One kill and what comes after it.
kill_at() { # VICTIM ROLE PROGRAM FUNCTION WHEN
    local victim=$1 role=$2 program=$3 function=$4 moment=$5 node third rank run before begin=$EPOCHREALTIME
    wait_until all_train 60 || { tail -n 30 "$output_file"; return 1; }
    take_places
    aim "$victim" "$program" "$function" "$moment"
    await_point || { echo "$victim at $function on $node"; return 1; }
    before=$(newest_step)
    strike "$victim" "$program"
    [[ $victim != stepd ]] || wait_until "is_gone $rank" 30
    [[ $moment != leave ]] || wait_until "is_gone $run" 30 || { echo "mscale run goes on"; tail -n 30 "$output_file"; return 1; }
    [[ $victim:$role != node:first ]] || begin_requeued
    expect_progress $((before + 40)) || { echo "after $victim at $function on $node"; tail -n 30 "$output_file"; return 1; }
    mend_nodes
    echo "# $victim killed at $function on $node: $(awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }') s" >&3
}
