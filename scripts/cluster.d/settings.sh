# shellcheck shell=bash disable=SC2034,SC2154
# Names, places and addresses; sourced by scripts/cluster and, inside a host's namespaces, by host.sh and service.sh.
name=${MSCALE_CLUSTER:-mscale}
# Short, since the path of a UNIX socket holds 107 characters.
base=${MSCALE_CLUSTER_BASE:-/tmp/mscale-$name}
etc=$base/etc
log=$base/log
munge_socket=$base/munge/munge.sock
users=(alice bob)

die() {
    echo "cluster: $*" >&2
    exit 1
}

say() { echo "cluster: $*"; }

[[ $name =~ ^[a-z0-9-]{1,20}$ ]] || die "MSCALE_CLUSTER=$name: use up to 20 lower-case letters, digits and '-'"

# The hosts, in order; the controller is called ctl.
node_names() { cat "$etc/nodes" 2>/dev/null || true; }

address_of() {
    case $1 in
    ctl) echo 10.77.0.1 ;;
    *) echo "10.77.0.$((10 + ${1#n}))" ;;
    esac
}

user_id() {
    case $1 in
    alice) echo 60101 ;;
    bob) echo 60102 ;;
    root) echo 0 ;;
    *) die "no user $1 in the cluster; there are: ${users[*]} root" ;;
    esac
}

# Runs a condition until it holds; wait_for SECONDS COMMAND...
wait_for() {
    local deadline=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < deadline)) || return 1
        sleep 0.05
    done
}
