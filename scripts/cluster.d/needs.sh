# shellcheck shell=bash disable=SC2034,SC2154
# What this machine must be able to do; each thing that is missing is named in one line.
cluster_programs=(slurmctld slurmd slurmdbd sbatch munged mariadbd mariadb ip nsenter unshare setpriv jq pgrep)

find_program() { PATH=$PATH:/usr/sbin:/sbin type -P "$1" >/dev/null; }

require_programs() {
    local program missing=()
    for program in "${cluster_programs[@]}"; do
        find_program "$program" || missing+=("$program")
    done
    ((${#missing[@]} == 0)) || die "missing programs: ${missing[*]} (scripts/quickstart or scripts/check installs them)"
}

require_namespaces() {
    ((EUID == 0)) || die "needs root: it makes namespaces, network links and mounts"
    unshare --net --mount --uts --ipc --pid --fork --mount-proc true 2>/dev/null ||
        die "this container is not privileged: CAP_SYS_ADMIN is missing for namespaces (run it with --privileged, or in a virtual machine)"
    unshare --net ip link add msprobe type veth peer name msprobe2 2>/dev/null ||
        die "no veth links here: CAP_NET_ADMIN or the kernel module veth is missing (modprobe veth; in a container: on its host)"
    unshare --net ip link add msprobe type bridge 2>/dev/null ||
        die "no network bridges here: the kernel module bridge is missing (modprobe bridge; in a container: on its host)"
}

require_ground() {
    require_programs
    require_namespaces
}
