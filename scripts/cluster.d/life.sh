# shellcheck shell=bash disable=SC2034,SC2154
# up and down.
read_options() {
    node_count=3 build=build slice_count=16 page_count=256 grow=0 whole_gpu=0 with_devices=0 switch_count=0 gpu_type=h100 node_conf=
    without=() slurm_lines=() mscale_keys=() plugstack_lines=() cgroup_lines=()
    while (($#)); do
        case $1 in
        --nodes) node_count=$2 ;;
        --build) build=$2 ;;
        --without) without+=("$2") ;;
        --slices) slice_count=$2 ;;
        --switches) switch_count=$2 ;;
        --pages) page_count=$2 ;;
        --slurm-conf) slurm_lines+=("$2") ;;
        --node-conf) node_conf=$2 ;;
        --mscale-conf) mscale_keys+=("$2") ;;
        --plugstack) plugstack_lines+=("$2") ;;
        --cgroup-conf) cgroup_lines+=("$2") ;;
        --grow) grow=1 ;;
        --gpu) whole_gpu=1 ;;
        --devices) with_devices=1 ;;
        *) die "unknown option '$1'; see scripts/cluster --help" ;;
        esac
        [[ $1 =~ ^--(grow|gpu|devices)$ ]] || shift
        shift || die "the last option needs a value"
    done
    [[ $node_count =~ ^[1-9][0-9]?$ ]] || die "--nodes $node_count: 1 to 99"
    build=$(cd "$build" 2>/dev/null && pwd) || die "no build tree at '$build': run configure and make there, or give --build DIR"
}

is_idle() { [[ $(root_command sinfo -h -N -t idle -o %N 2>/dev/null | sort -u | wc -l) == "$node_count" ]]; }
is_up_with() { # OPTIONS
    [[ -f $base/options && $(<"$base/options") == "$1" ]] && parts_are_current && is_answering
}
is_answering() { root_command scontrol ping 2>/dev/null | grep -q "is UP"; }

cluster_up() {
    local begin=$EPOCHREALTIME node options="$*"
    read_options "$@"
    require_ground
    if is_up_with "$options"; then
        say "$name is already up with these options"
        return
    fi
    take_down
    trap 'take_down keep-logs' EXIT
    mkdir -p "$base"
    chmod 0755 "$base"
    assemble_parts
    write_configuration
    write_all_devices
    reserve_pages "$page_count"
    start_hosts
    write_inventory
    echo "$options" >"$base/options"
    trap - EXIT
    say "$name is up: $node_count nodes in $(elapsed "$begin") s; stop it with 'scripts/cluster down'"
}

elapsed() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }'; }

start_hosts() {
    local node
    power_on ctl
    wait_for 60 is_answering || die "slurmctld did not start; see $log/ctl.*.out and $log/slurmctld.log"
    for node in $(node_names); do power_on "$node"; done
    wait_for 60 is_idle || die "not all nodes are idle: $(root_command sinfo -h -N -o '%N=%T' | tr '\n' ' '); see $log"
}

# slurmctld learns the machine from the first host, as an administrator would do it.
write_inventory() {
    has_part mscale || return 0
    on_host n1 "$base/bin/mscale" inventory --help >/dev/null 2>&1 || return 0
    root_on n1 mscale inventory --output "$etc/mscale/inventory" >>"$log/inventory.out" 2>&1 ||
        say "mscale inventory failed; see $log/inventory.out"
}

# Every trace goes, also of a cluster that was left uncleanly; logs stay when asked for.
take_down() { # [keep-logs]
    local node
    for node in $(running_hosts | grep -v '^ctl$') ctl; do power_off "$node"; done
    for node in $(node_names); do give_back_grown "$node"; done
    give_back_reserved
    remove_cgroups
    [[ -d $base ]] || return 0
    if [[ ${1:-} == keep-logs && -d $log ]]; then
        find "$base" -mindepth 1 -maxdepth 1 ! -name log -exec rm -rf {} +
        say "logs are in $log"
    else
        rm -rf "$base"
    fi
}

# What Slurm's task/cgroup made for the hosts; it leaves the directories of steps whose processes outlived them.
remove_cgroups() {
    local node
    grep -q '^Constrain' "$etc/cgroup.conf" 2>/dev/null || return 0
    for node in $(node_names); do
        find /sys/fs/cgroup/*/"slurm_$node" "/sys/fs/cgroup/system.slice/${node}_slurmstepd.scope" -depth -type d \
            -exec rmdir {} + 2>/dev/null || true
    done
}

cluster_down() {
    ((EUID == 0)) || die "needs root"
    if [[ ${1:-} == --keep-logs ]]; then take_down keep-logs; else take_down; fi
}
