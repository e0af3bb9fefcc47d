# A node dies, on a real Slurm: the mscaled of a job's other nodes notice it and set it DOWN, as the site allows.
load ../common
load lost_nodes

setup_file() { start_cluster --nodes 4 --pages 0 --mscale-conf recovery.set_down=own --mscale-conf recovery.max_down_per_hour=20 --mscale-conf recovery.require_controller=yes; }
teardown_file() { stop_cluster; }
setup() { need_part mscaled spank_mscale job_submit_mscale; }
teardown() {
    set_policy set_down own
    set_policy max_down_per_hour 20
    set_policy require_controller yes
    as_root sh -c 'squeue -h -o %A | xargs -r scancel'
    bring_back n2 n3 ctl && expect_nothing_left
}

contract=ft.every=100,ft.copies=1
program='sleep 600'

# Whatever a test did to a host is undone; a node that was DOWN serves again.
bring_back() { # HOST...
    local host
    for host in "$@"; do
        cluster stop "$host" mscaled CONT 2>/dev/null || cluster start "$host"
        [[ $host == ctl ]] || cluster exec ctl ip link set "$host" up
        wait_until "cluster exec $host pgrep -x mscaled" 5 || cluster restart "$host" mscaled
        [[ $host == ctl ]] && continue
        wait_until "[[ \$(node_state $host) != *'*'* ]]" 40
        [[ $(node_state "$host") != down* ]] || as_root scontrol update nodename="$host" state=resume || true
    done
}

# A job with [ft] on nodes of these names; it is watched when this returns.
start_job() { # NODES [SBATCH-ARGS that lead to them]
    local nodes=$1 node
    shift
    (($#)) || set -- -w "$nodes" -N "$(wc -w <<<"${nodes//,/ }")" -n "$(wc -w <<<"${nodes//,/ }")"
    job=$(submit_as alice -o /dev/null --mscale-contract="$contract" "$@" --wrap "$program")
    for node in ${nodes//,/ }; do wait_until "[[ \$(ledger $node $job | jq -r .stage) == applied ]]" 30; done
    sleep 2
}

said() { grep -c "job $job.*$2" "$base/log/$1.mscaled.out" || true; } # HOST TEXT

# Seconds from a moment until slurmctld has set the node DOWN, by its log.
seconds_until_down() { # NODE MOMENT
    local stamp
    stamp=$(grep -oP "^\[\K[^]]*(?=\] .*node $1 reason set to: mscale: job $job)" "$base/log/slurmctld.log" | tail -1)
    [[ -n $stamp ]] || { echo "slurmctld never heard of $1"; return 1; }
    awk -v a="$2" -v b="$(date -d "${stamp/T/ }" +%s.%N)" 'BEGIN { printf "%.2f", b - a }'
}

is_less() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'; }
is_down() { [[ $(node_state "$1") == down* ]]; }
stays_up() { # NODE SECONDS
    local deadline=$((SECONDS + $2))
    while ((SECONDS < deadline)); do
        is_down "$1" && { echo "$1 is DOWN: $(node_reason "$1")"; return 1; }
        sleep 0.3
    done
}

# The node is DOWN after what CMD does to it, soon, and its reason names these witnesses; $took is how long it took.
expect_down_after() { # NODE WITNESSES CMD...
    local node=$1 witnesses=$2 begin=$EPOCHREALTIME
    shift 2
    "$@"
    wait_until "is_down $node" 20
    took=$(seconds_until_down "$node" "$begin")
    echo "# $node was DOWN after $took s" >&3
    [[ $(node_reason "$node") =~ ^"mscale: job $job: "$witnesses" heard nothing since "[0-9:]{8} ]] ||
        { echo "the reason is: $(node_reason "$node")"; return 1; }
    is_less "$took" 15 || { echo "it took $took s"; return 1; }
}

@test "a killed node is DOWN within two seconds, with a reason that names job, witnesses and time" {
    local attempt # a starved machine is late itself and suspects nobody
    for attempt in 1 2 3; do
        start_job n1,n2,n3
        expect_down_after n2 "ctl, n1 and n3" cluster kill n2
        is_less "$took" 2 && return
        bring_back n2 && as_root scancel "$job" && expect_nothing_left
    done
    return 1
}

@test "of two nodes the survivor and the controller settle it" {
    start_job n1,n2
    expect_down_after n2 "ctl and n1" cluster kill n2
}

@test "the batch host can die, too" {
    start_job n2,n3,n4
    expect_down_after n2 "ctl, n3 and n4" cluster kill n2
}

@test "a node on which another job runs is left to Slurm under own, and isn't under yes" {
    start_job n1,n2,n3
    other=$(submit_as bob -w n2 -n 1 -o /dev/null --wrap 'sleep 600')
    wait_until "[[ \$(job_state $other) == RUNNING ]]" 20
    cluster kill n2
    wait_until "[[ \$(said n1 'heard nothing since') != 0 ]]" 10
    stays_up n2 3
    grep -q "n2 isn't set DOWN: job $other holds it, too (set_down = own)" "$base/log/n1.mscaled.out"
    bring_back n2
    as_root scancel "$job" "$other"
    wait_until "! has_ledger n1 $job" 40
    expect_nothing_left
    set_policy set_down yes
    start_job n1,n2,n3
    other=$(submit_as bob -w n2 -n 1 -o /dev/null --wrap 'sleep 600')
    wait_until "[[ \$(job_state $other) == RUNNING ]]" 20
    expect_down_after n2 "ctl, n1 and n3" cluster kill n2
}

@test "a site that says no sets nothing DOWN" {
    set_policy set_down no
    start_job n1,n2,n3
    cluster kill n2
    wait_until "grep -q \"n2 isn't set DOWN: set_down = no\" $base/log/n1.mscaled.out" 10
    stays_up n2 3
}

@test "a survivor that is cut off never acts, and its own node is what gets DOWN" {
    start_job n1,n2,n3
    expect_down_after n2 "ctl, n1 and n3" cluster exec ctl ip link set n2 down
    stays_up n1 4
    [[ $(node_state n3) != down* && $(said n2 'heard nothing since') == 0 ]]
    [[ $(said n2 'is silent, the node is left alone') != 0 ]]
}

@test "no more nodes are set DOWN within an hour than the site allows" {
    as_root scontrol update nodename=n4 state=down reason="mscale: job 1: ctl and n1 heard nothing since 00:00:00"
    as_root scontrol update nodename=n4 state=resume # a node that serves again isn't counted
    set_policy max_down_per_hour 1
    # By itself the job would be requeued for n2, and nobody would look after n3 any more.
    contract=$contract,ft.spares=1 program='mscale run -- sleep 600' start_job n1,n2,n3,n4 -N 3 -n 3
    expect_down_after n2 "ctl, n1, n3 and n4" cluster kill n2
    cluster kill n3
    wait_until "grep -q \"n3 isn't set DOWN: 1 nodes were set DOWN within the last hour\" $base/log/n1.mscaled.out" 10
    stays_up n3 2
}

@test "a node whose mscaled alone is stopped is left alone, and watched again when it goes on" {
    start_job n1,n2,n3
    cluster stop n2 mscaled STOP
    stays_up n2 3
    [[ $(said n1 'the mscaled of n2 is silent, the node is left alone: its node answers') == 1 ]]
    cluster stop n2 mscaled CONT
    stays_up n2 3
    [[ $(said n1 'n2 is silent no longer') == 1 && $(said n2 'heard nothing since') == 0 ]]
    expect_down_after n2 "ctl, n1 and n3" cluster kill n2
}

@test "a mscaled that was killed and began anew is heard again" {
    start_job n1,n2,n3
    cluster stop n2 mscaled KILL
    stays_up n2 2
    cluster restart n2 mscaled
    wait_until "[[ \$(said n1 'n2 is silent no longer') == 1 ]]" 10
    expect_down_after n2 "ctl, n1 and n3" cluster kill n2
}

@test "mscaled and slurmd can be restarted together without a node getting DOWN" {
    start_job n1,n2,n3
    cluster stop n2 mscaled KILL
    cluster stop n2 slurmd TERM
    stays_up n2 3
    cluster restart n2 slurmd
    cluster restart n2 mscaled
    [[ $(job_state "$job") == RUNNING ]]
}

@test "without a mscaled beside slurmctld nothing is set DOWN, unless the site says that the nodes are enough" {
    start_job n1,n2,n3
    cluster stop ctl mscaled KILL
    cluster kill n2
    wait_until "grep -q \"n2 isn't set DOWN: no mscaled beside slurmctld\" $base/log/n1.mscaled.out" 10
    stays_up n2 2
    bring_back n2
    as_root scancel "$job"
    wait_until "! has_ledger n1 $job" 40
    cluster stop ctl mscaled KILL
    set_policy require_controller no
    start_job n1,n2,n3
    expect_down_after n2 "n1 and n3" cluster kill n2
}

@test "ft.detect decides how long silence is borne" {
    contract=$contract,ft.detect=3s start_job n1,n2,n3
    sleep 3
    expect_down_after n2 ".*" cluster kill n2
    is_less 2 "$took" # it may die up to a beat, a third of detect, after it was heard
}

@test "a job that ends raises no suspicion" {
    start_job n1,n2,n3
    as_root scancel "$job"
    wait_until "! has_ledger n1 $job" 40
    sleep 2
    for node in n1 n2 n3; do [[ $(said "$node" 'is silent') == 0 && $(said "$node" 'heard nothing') == 0 ]]; done
}
