# For the kill storms: a blow is SIGKILL to a victim in a phase of a job's life on one node; it counts when it met its victim.
load ../common

user=60101

# Every blow that can meet its victim.  While a node is set up for a job it has no slurmstepd of a step; that which runs the
# prolog is Slurm's own word to slurmd, and its death drains a node whatever plugin it runs.
all_blows="mscale-node:apply slurmstepd:run slurmd:release mscaled:run slurmd:apply mscale-node:release slurmstepd:release
    mscaled:apply mscale-node:run mscaled:release slurmd:run"

# Runs on the node: strike VICTIM PHASE DELAY JOB; true when a process was killed.  In apply and release it waits for
# mscale-node, so that the blow falls while the node is being set up or cleaned; the stepds are gone by then.  Nothing is
# forked between the look and the blow: mscale-node lives for some milliseconds.
strike() {
    local limit=$((SECONDS + 5)) pid pause
    exec {pause}<> <(:)
    if [[ $1 == slurmstepd ]]; then
        [[ $2 == run ]] || scancel "$4"
    elif [[ $1 == mscale-node || $2 != run ]]; then
        until find_process mscale-node; do ((SECONDS < limit)) || return 1; done
    fi
    read -rt "$3" -u "$pause"
    case $1 in
    slurmstepd) pkill -KILL -f '^slurmstepd: \[' ;;
    *) find_process "$1" && kill -KILL "$pid" ;;
    esac
}

# Sets `pid` to the first process of that name: of mscaled, the daemon and not a child of it.
find_process() { # NAME
    local entry name
    pid=
    for entry in /proc/[0-9]*; do
        read -r name 2>/dev/null <"$entry/comm" && [[ $name == "$1" ]] || continue
        ((${pid:-${entry#/proc/}} < ${entry#/proc/})) || pid=${entry#/proc/}
    done
    [[ -n $pid ]]
}

strike_on() { # NODE VICTIM PHASE DELAY [JOB]
    local node=$1
    shift
    cluster exec "$node" bash -c "$(declare -f strike find_process); strike $*"
}

random_delay() { printf '0.%03d' $((RANDOM % $1)); } # MILLISECONDS

# submit_job CONTRACT NODES: a job whose steps come one after the other.
submit_job() {
    submit_as alice -N "$2" -c1 --mscale-contract="$1" --wrap "while :; do srun sleep 1; done"
}
is_running() { [[ -e $base/home/alice/slurm-$1.out ]]; }

# One job and one blow; true when it met its victim.  `id` is the job, also when nothing was met.  The later the try, the
# sooner the blow falls: what it is to meet may be short.
blow() { # CONTRACT NODES VICTIM PHASE TRY
    local node=n$((1 + RANDOM % $2)) striker status=0 reach=$(((80 >> 2 * ($5 - 1)) + 1))
    if [[ $4 == apply ]]; then
        strike_on "$node" "$3" apply "$(random_delay $reach)" &
        striker=$!
        id=$(submit_job "$1" "$2")
        wait $striker || status=1
        return $status
    fi
    id=$(submit_job "$1" "$2")
    wait_until "is_running $id" 15 || return 1
    if [[ $4 == run ]]; then
        [[ $3 == mscale-node ]] || reach=500
        strike_on "$node" "$3" run "$(random_delay $reach)"
        return
    fi
    strike_on "$node" "$3" release "$(random_delay $reach)" "$id" &
    striker=$!
    [[ $3 == slurmstepd ]] || as_root scancel "$id"
    wait $striker
}

bring_daemons_back() {
    local node program
    for node in $(node_names); do
        for program in slurmd mscaled; do
            cluster exec "$node" pgrep -x "$program" >/dev/null || cluster restart "$node" "$program"
        done
    done
}

# What a job may leave nowhere: a file of its own, a claim on the pool, a mount, a process of its user, a slice.
list_leftovers() {
    local node found
    for node in $(node_names); do
        compgen -G "$base/nodes/$node/mscale/jobs/*"
        jq -r '.pools[]?' "$base/nodes/$node/mscale/hugepages.json" 2>/dev/null
        [[ $(job_mounts "$node") == 0 ]] || echo "$node: mounts"
        cluster exec "$node" pgrep -a -u "$user"
        found=$(as_root scontrol -d -o show node "$node" | grep -oP ' GresUsed=\K[^ ]*')
        [[ $found =~ ^(gpu.*,)?sm:h100:0 ]] || echo "$node: GresUsed=$found"
        [[ $(node_state "$node") =~ ^idle ]] || echo "$node is $(node_state "$node"): $(node_reason "$node")"
    done
    [[ -z $(as_root squeue -h) ]] || echo "jobs: $(as_root squeue -h -o '%A %T')"
    (($(reserved_pages) == reserved_before)) || echo "$(reserved_pages) pages are reserved, not $reserved_before"
    (($(total_pages) == total_before)) || echo "the pool has $(total_pages) pages, not $total_before"
    (($(free_pages) == free_before)) || echo "$(free_pages) pages are free, not $free_before"
}
reserved_pages() { awk '/^HugePages_Rsvd/ { print $2 }' /proc/meminfo; }
count_pages() {
    total_before=$(total_pages) free_before=$(free_pages) reserved_before=$(reserved_pages)
}
has_no_leftovers() { [[ -z $(list_leftovers) ]]; }

# The contract's state of an ended job is one that an ended job can have.
ended_state() { as_root sacct -nX -j "$1" -o admincomment%300 | grep -oP 'mscale: state=\K[a-z]+'; }

# Ledger, machine, Slurm and accounting agree that the job is over, by what mscale does itself: nothing is cleaned by hand.
expect_settled() { # JOB VICTIM
    if ! wait_until has_no_leftovers 30; then
        list_leftovers
        return 1
    fi
    # A mscaled that was killed may have been the one who had to post the end.
    [[ $2 == mscaled ]] && return
    wait_until "[[ \$(ended_state $1) =~ ^(released|refused|breached)\$ ]]" 20 ||
        { echo "the accounting says of job $1: $(as_root sacct -nX -j "$1" -o admincomment%300)"; return 1; }
}

expect_no_drain() {
    local node
    for node in $(node_names); do
        [[ $(node_state "$node") != *drain* ]] || { echo "$node is drained: $(node_reason "$node")"; return 1; }
    done
}

# A blow and what comes after it; true when it met its victim.
strike_and_settle() { # CONTRACT NODES BLOW TRY
    local begin=$EPOCHREALTIME victim=${3%:*} phase=${3#*:} hit=0
    blow "$1" "$2" "$victim" "$phase" "$4" && hit=1
    bring_daemons_back
    as_root scancel "$id"
    if ! { wait_until "is_over $id" 60 && expect_no_drain && expect_settled "$id" "$victim"; }; then
        echo "after $3 of job $id"
        exit 1
    fi
    met[$3]=$((${met[$3]:-0} + hit))
    echo "job $id: $3, met ${met[$3]} times, $(awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }') s"
    ((hit))
}

# storm KILLS CONTRACT NODES: blows in turn until as many have met their victims; one that missed is repeated, and comes
# again in the next round where a busy machine let it miss five times.
storm() {
    local wanted=$1 hits=0 blow try limit=$((SECONDS + 120 + 30 * $1))
    declare -gA met=()
    while ((hits < wanted)); do
        ((SECONDS < limit)) || { echo "only $hits of $wanted kills in time"; return 1; }
        for blow in $all_blows; do
            ((hits < wanted)) || break
            [[ $blow == slurmd:release && ${met[$blow]:-0} != 0 ]] && continue # Slurm repeats an epilog after a minute only
            for try in 1 2 3 4 5; do
                if strike_and_settle "$2" "$3" "$blow" $try; then hits=$((hits + 1)) && break; fi
                ((try < 5)) || echo "$blow met nothing in $try tries"
            done
        done
    done
}

# Every victim was met, and each phase; in a storm of some length every victim in every phase.
expect_all_met() { # KILLS
    local blow word
    for blow in $all_blows; do echo "# $blow was met ${met[$blow]:-0} times" >&3; done
    for word in slurmstepd slurmd mscaled mscale-node apply run release; do
        [[ " ${!met[*]} " == *"$word"* ]] || { echo "$word was never met"; return 1; }
    done
    (($1 < 11)) && return
    for blow in $all_blows; do ((${met[$blow]:-0} > 0)) || { echo "$blow was never met"; return 1; }; done
}
