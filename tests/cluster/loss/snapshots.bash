# No process of these nodes has a snapshot in memory.
memory_is_gone() { # NODE...
    local node
    for node in "$@"; do
        [[ $(cluster exec "$node" sh -c 'ls -l /proc/[0-9]*/fd 2>/dev/null | grep -c memfd:mscale-') == 0 ]] || return 1
    done
}
# What is committed of the job whose number is in $job.
committed_step() { cluster exec "$1" mscale snapshot list --json | jq ".nodes[0].records[] | select(.job == $job) | .step"; } # NODE
