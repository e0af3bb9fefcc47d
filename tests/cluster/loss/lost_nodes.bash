# Nodes that a test has killed, and that its teardown brings back, also when it failed.
lost=()

kill_node() {
    lost+=("$1")
    cluster kill "$1"
}
bring_back_lost_nodes() {
    local node
    for node in "${lost[@]}"; do
        cluster start "$node"
        as_root scontrol update nodename="$node" state=resume || [[ $(node_state "$node") == idle ]]
    done
    lost=()
}

# Changes [recovery] KEY on every host; the file is a mount, so it is written in place.
set_policy() { # KEY VALUE
    local host conf
    for host in ctl $(node_names); do
        conf=$base/nodes/$host/mscale.conf
        grep -qx "$1 = $2" "$conf" && continue
        sed "s/^$1 = .*/$1 = $2/" "$conf" >"$BATS_TEST_TMPDIR/conf"
        cat "$BATS_TEST_TMPDIR/conf" >"$conf"
        cluster exec "$host" pkill -HUP -x mscaled || true
    done
}
