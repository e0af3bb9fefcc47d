# shellcheck shell=bash disable=SC2034,SC2154
# The controller's network namespace holds a bridge; each host hangs on it by a veth pair. The machine's own network is not touched.
in_network() { # NODE CMD...
    local pid
    pid=$(host_pid "$1") || die "$1 is not running"
    shift
    nsenter --target "$pid" --net "$@"
}

# The bridge has an address of its own: else it takes the lowest of its ports', and when that host dies nobody reaches the controller
# until each has asked for its new one, which takes seconds.
make_bridge() {
    in_network ctl sh -e -c "
        ip link set lo up
        ip link add br0 address 02:4d:53:43:00:01 type bridge
        ip addr add $(address_of ctl)/24 dev br0
        ip link set br0 up"
}

plug_in() { # NODE
    local pid
    pid=$(host_pid "$1")
    in_network ctl sh -e -c "
        ip link add $1 type veth peer name eth0 netns $pid
        ip link set $1 master br0 up"
    in_network "$1" sh -e -c "
        ip link set lo up
        ip addr add $(address_of "$1")/24 dev eth0
        ip link set eth0 up"
}

# The peer and its network namespace go with the host's last process; the near end must not linger.
cut_wire() { in_network ctl ip link set "$1" down 2>/dev/null || true; }
unplug() { in_network ctl ip link delete "$1" 2>/dev/null || true; }
