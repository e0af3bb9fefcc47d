# shellcheck shell=bash disable=SC2034,SC2154
# The kernel's pool of 2 MiB pages is one for all hosts: `up` adds the cluster's share to it, `down` takes exactly that away.
pages_file=$base/pages

pool_path() { echo "/sys/devices/system/node/node$1/hugepages/hugepages-$2kB/nr_hugepages"; }

numa_nodes() { for path in /sys/devices/system/node/node[0-9]*; do echo "${path##*node}"; done; }

# Adds COUNT pages (or takes them, when negative) and prints how many the kernel really added or took.
change_pool() { # NUMA KB COUNT
    local path before
    path=$(pool_path "$1" "$2")
    {
        flock 9
        before=$(<"$path")
        echo $((before + $3 > 0 ? before + $3 : 0)) >"$path"
        echo $(($(<"$path") - before))
    } 9<"$path"
}

reserve_pages() { # COUNT over all NUMA nodes
    local numa nodes got total=0 share
    mapfile -t nodes < <(numa_nodes)
    share=$((($1 + ${#nodes[@]} - 1) / ${#nodes[@]}))
    : >"$pages_file"
    for numa in "${nodes[@]}"; do
        [[ -w $(pool_path "$numa" 2048) ]] || continue
        got=$(change_pool "$numa" 2048 "$share")
        echo "$numa 2048 $got" >>"$pages_file"
        total=$((total + got))
    done
    ((total >= $1)) || say "only $total of $1 huge pages could be reserved (not writable, or memory is short)"
}

give_back_reserved() {
    local numa kilobytes count
    [[ -s $pages_file ]] || return 0
    while read -r numa kilobytes count; do
        change_pool "$numa" "$kilobytes" "-$count" >/dev/null
    done <"$pages_file"
    rm -f "$pages_file"
}

# A host that lost power forgets what its ledgers grew, as a reboot would.
give_back_grown() { # NODE
    local ledger numa kilobytes count
    for ledger in "$base/nodes/$1"/mscale/jobs/*.json; do
        [[ -s $ledger ]] || continue
        while read -r numa kilobytes count; do
            change_pool "$numa" "$kilobytes" "-$count" >/dev/null
        done < <(jq -r '.acts[]? | select(.kind == "hugepages") | "\(.numa // 0) \(.page_bytes / 1024) \(.count)"' "$ledger" 2>/dev/null)
    done
}
