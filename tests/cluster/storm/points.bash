# SIGKILL at a point of the protocol: gdb stops the process at a function's entry and the blow falls there.  The product knows
# nothing of it; where the build has no such symbol the point is told as missed, which fails the test.
#
# Each row: NODE on which, PROGRAM in which, the function, and when: save (soon by itself) or restore (after a rank was killed).
keeper_points() {
    cat <<'TABLE'
n2 mscaled mscale::daemon::Keeper::on_sealed save
n2 mscaled mscale::daemon::Carrier::copy save
n2 mscaled mscale::daemon::Carrier::send_to save
n3 mscaled mscale::daemon::SnapshotServer::take_copy save
n2 mscaled mscale::daemon::Keeper::on_copied save
n2 mscaled mscale::daemon::Keeper::prepare save
n1 mscaled mscale::daemon::Coordinator::answer_prepare save
n1 mscaled mscale::daemon::Coordinator::commit save
n1 mscaled mscale::daemon::Coordinator::keep_on save
n2 mscaled mscale::daemon::Keeper::keep save
n1 mscaled mscale::daemon::Coordinator::announce save
n1 mscaled mscale::daemon::SegmentStore::commit save
n2 mscaled mscale::daemon::SegmentStore::commit save
n2 mscaled mscale::daemon::Keeper::on_join restore
n2 mscaled mscale::daemon::Keeper::on_memory restore
n1 mscaled mscale::daemon::Coordinator::answer_restore restore
n1 mscaled mscale::daemon::Coordinator::take_holdings restore
n2 mscaled mscale::daemon::Keeper::hold restore
n2 mscaled mscale::daemon::RunStart::bring restore
n2 mscaled mscale::daemon::Carrier::bring restore
n2 mscaled mscale::daemon::RunStart::on_brought restore
n2 mscaled mscale::daemon::RunStart::let_go restore
n2 mscaled mscale::daemon::Keeper::welcome restore
n2 mscaled mscale::daemon::Keeper::on_taken restore
n2 mscaled mscale::daemon::RunStart::confirm restore
TABLE
}
# Without the script's own node, whose death is a requeue.
keeper_points_of_others() { keeper_points | grep -v '^n1 '; }
client_points() {
    cat <<'TABLE'
n2 python3 mscale::library::Client::progress save
n2 python3 mscale::library::Client::start_save save
n2 python3 mscale::library::Client::put save
n2 python3 mscale::library::Client::complete_save save
n2 python3 mscale::library::Save::seal save
n2 python3 mscale::library::Client::tell_sealed save
TABLE
}

# The process of a program on a node, as this machine numbers it.
pid_on() { # NODE PROGRAM
    local pid wanted
    wanted=$(cluster exec "$1" readlink /proc/self/ns/uts)
    for pid in $(pgrep -x "$2"); do
        [[ $(readlink "/proc/$pid/ns/uts") != "$wanted" ]] || { echo "$pid"; return; }
    done
}
# Begins to wait for the process at the function; `waiter` is who waits.  What is done there: WORDS for a shell, then the kill.
arm() { # NODE PROGRAM FUNCTION VICTIM
    local pid blow
    pid=$(pid_on "$1" "$2")
    [[ -n $pid ]] || { echo "no $2 on $1"; return 1; }
    case $4 in
    self) blow=kill ;;
    stepd) blow="shell '$source_dir/scripts/cluster' exec $1 pkill -KILL -f '^slurmstepd: .$job.[0-9]'" ;;
    node) blow="shell '$source_dir/scripts/cluster' kill $1" ;;
    esac
    timeout 60 gdb -nx -batch -iex 'set auto-load off' -iex 'set sysroot /' -p "$pid" -ex 'set confirm off' \
        -ex 'handle SIGPIPE SIGUSR1 SIGUSR2 nostop noprint pass' -ex "break $3" -ex 'shell touch '"$BATS_TEST_TMPDIR/armed" -ex continue \
        -ex "echo reached\\n" -ex "$blow" </dev/null >"$BATS_TEST_TMPDIR/gdb" 2>&1 3>&- &
    waiter=$!
}
is_armed() { [[ -e $BATS_TEST_TMPDIR/armed ]]; }
was_reached() { grep -q '^Thread .* hit Breakpoint\|^Breakpoint 1, ' "$BATS_TEST_TMPDIR/gdb" && grep -q '^reached' "$BATS_TEST_TMPDIR/gdb"; }

# One kill and what comes after it.
kill_at() { # VICTIM NODE PROGRAM FUNCTION WHEN
    local victim=$1 node=$2 program=$3 function=$4 before begin=$EPOCHREALTIME
    wait_until '(($(training_nodes | wc -l) == ranks))' 60 || { tail -n 30 "$output_file"; return 1; }
    before=$(newest_step)
    rm -f "$BATS_TEST_TMPDIR/armed"
    arm "$node" "$program" "$function" "$victim"
    wait_until is_armed 30
    [[ $5 == save ]] || fault_rank "$node"
    wait "$waiter" || true
    was_reached || { echo "$function wasn't reached"; cat "$BATS_TEST_TMPDIR/gdb"; return 1; }
    [[ $victim != node ]] || lost+=("$node")
    [[ $victim:$program != self:mscaled ]] || cluster restart "$node" mscaled
    expect_progress $((before + 40)) || { echo "after $victim at $function on $node"; tail -n 30 "$output_file"; return 1; }
    mend_nodes
    echo "# $victim killed at $function on $node: $(awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }') s" >&3
}
