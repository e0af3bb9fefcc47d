# shellcheck shell=bash disable=SC2154
# Promised beside found: the ledger's word against the kernel's, on each node.
prove_promise() { # JOB
    local node
    title "Is the promise kept? The kernel is asked, not mscale"
    printf '   %-6s %-10s %-28s %-34s %s\n' node 'loader pid' 'Cpus_allowed_list' 'huge pages in numa_maps' 'state'
    for node in n1 n2 n3; do prove_on_node "$node" "$1"; done
    tell "state in scontrol now: $(job_comment "$1")"
    ((mismatches == 0)) || fail "$mismatches promises are not kept"
}

prove_on_node() { # NODE JOB
    local pid promised found pages_promised pages_found
    promised=$(promised_cpus "$1" "$2")
    pages_promised=$(promised_pages "$1" "$2")
    for pid in $(loader_pids "$1"); do
        found=$(on_host "$1" grep -oP '^Cpus_allowed_list:\s*\K.*' "/proc/$pid/status")
        pages_found=$(found_pages "$1" "$pid")
        printf '   %-6s %-10s %-28s %-34s %s\n' "$1" "$pid" "promised $promised found $found" \
            "promised $pages_promised found $pages_found" "$(mark "$promised $pages_promised" "$found $pages_found")"
        compare "$promised $pages_promised" "$found $pages_found"
    done
    [[ -n $(loader_pids "$1") ]] || fail "no loader process on $1"
}

# A loader is a child of a trainer, and both have the same command line.
loader_pids() { # NODE
    on_host "$1" ps -eo pid=,ppid=,args= | awk '
        $3 == "/usr/bin/python3" && /train\.py/ { parent[$1] = $2 }
        END { for (pid in parent) if (parent[pid] in parent) print pid }' | sort -n
}

# Huge pages that the process maps, summed per NUMA node: N0=4
found_pages() { # NODE PID
    on_host "$1" cat "/proc/$2/numa_maps" | awk '/ huge / {
        for (i = 1; i <= NF; i++) if ($i ~ /^N[0-9]+=/) { split($i, part, "="); sum[part[1]] += part[2] }
    } END { for (n in sum) printf "%s%s=%d", seen++ ? " " : "", n, sum[n] }'
}
