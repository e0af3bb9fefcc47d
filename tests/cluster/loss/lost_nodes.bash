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
