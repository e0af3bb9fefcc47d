# shellcheck shell=bash disable=SC2034,SC2154
# What one does on a running cluster.
root_on() { # NODE CMD...
    local node=$1 environment
    shift
    cluster_environment /root root
    on_host "$node" --wd=/ "${environment[@]}" "$@"
}
root_command() { root_on ctl "$@"; }

user_on() { # NODE USER CMD...
    local node=$1 user=$2 id environment
    shift 2
    id=$(user_id "$user")
    cluster_environment "$base/home/$user" "$user"
    on_host "$node" --wd="$base/home/$user" setpriv --reuid "$id" --regid "$id" --init-groups "${environment[@]}" "$@"
}

cluster_root() { root_command "$@"; }

cluster_as() {
    (($# > 1)) || die "usage: scripts/cluster as USER CMD..."
    user_on ctl "$@"
}

cluster_exec() {
    (($# > 1)) || die "usage: scripts/cluster exec NODE CMD..."
    root_on "$@"
}

cluster_shell() { root_on "${1:-ctl}" bash --norc; }

cluster_submit() {
    local word file words=()
    for word in "$@"; do
        file=$word
        [[ $word == @* || $word == *=@* ]] && file=${word##*@} # --mscale-contract=@FILE
        [[ -n $file && -f $file ]] && word=${word%"$file"}$(realpath "$file")
        words+=("$word")
    done
    user_on ctl alice sbatch "${words[@]}"
}

cluster_status() {
    is_answering || die "$name is not running; start it with 'scripts/cluster up'"
    echo "cluster $name in $base, parts: $(cd "$base" && echo plugins/* bin/*)"
    root_command sinfo -N -o '%8N %10T %20G %E'
    root_command squeue -o '%8i %10u %12T %10M %20R %j'
    grep -E '^HugePages_(Total|Free|Rsvd)' /proc/meminfo
}

cluster_kill() {
    local node=${1:?usage: scripts/cluster kill NODE}
    [[ $node == ctl ]] || cut_wire "$node"
    power_off "$node"
    [[ $node == ctl ]] && return
    unplug "$node"
    give_back_grown "$node"
    rm -rf "$base/nodes/$node/mscale" "$base/nodes/$node/spool"
    mkdir -p "$base/nodes/$node/"{mscale,spool}
}

cluster_start() {
    local node=${1:?usage: scripts/cluster start NODE}
    host_pid "$node" >/dev/null && die "$node is running"
    grep -qx "$node" "$etc/nodes" || die "no node $node; there are: $(node_names | tr '\n' ' ')"
    power_on "$node"
}

cluster_stop() {
    (($# >= 2)) || die "usage: scripts/cluster stop NODE PROGRAM [SIGNAL]"
    service_on "$1" stop "$2" "${3:-KILL}"
}

cluster_restart() {
    (($# == 2)) || die "usage: scripts/cluster restart NODE PROGRAM"
    service_on "$1" stop "$2" TERM
    service_on "$1" start "$2"
}
