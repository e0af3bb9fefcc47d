# shellcheck shell=bash disable=SC2154
# The end: what was started is stopped, and that it is gone is looked up.
# Other clusters on this machine may come and go meanwhile: their pages and namespaces are not counted.
pages_total() {
    local total others
    total=$(awk '/^HugePages_Total/ { print $2 }' /proc/meminfo)
    others=$(find /tmp -maxdepth 2 -path '/tmp/mscale-*/pages' ! -path "$base/*" -exec cat {} + | awk '{ sum += $3 } END { print sum + 0 }')
    echo $((total - others))
}
count_namespaces() { # those that a process of this cluster lives in
    lsns -n -o NS,COMMAND | grep -c "$base" || true
}
count_processes() { pgrep -fc "$base/run/host.sh" || true; }

end_run() {
    if ((keep)); then
        title "The cluster is left to play with"
        tell "export MSCALE_CLUSTER=quickstart"
        tell "scripts/cluster status | as alice sbatch ... | shell | exec n1 CMD | kill n2 | down"
        return
    fi
    title "Clean up"
    "$source_dir/scripts/cluster" down >>"$output" 2>&1
    show_rest processes 0 "$(count_processes)"
    show_rest namespaces 0 "$(count_namespaces)"
    show_rest mounts "$mounts_before" "$(wc -l </proc/mounts)"
    show_rest 'huge pages' "$pages_before" "$(pages_total)"
    show_rest directories 0 "$(find /tmp -maxdepth 1 -name mscale-quickstart | wc -l)"
    ((mismatches == 0)) || fail "something was left behind"
    printf '\n%sDone in %d min %02d s: nothing is left behind.%s\n' "$bold" $((SECONDS / 60)) $((SECONDS % 60)) "$plain"
}

show_rest() { # WHAT BEFORE NOW
    printf '   %-12s before %-5s now %-5s %s\n' "$1" "$2" "$3" "$(mark "$2" "$3")"
    compare "$2" "$3"
}

# Also when something failed on the way; then the logs stay.
leave() { # STATUS
    trap - EXIT
    (($1 == 0 || told)) || printf '\n%squick start: stopped early; logs: %s, %s%s\n' "$red" "$output" "$log" "$plain" >&2
    ((keep == 1 && $1 == 0)) && exit 0
    if [[ -d $base ]]; then
        "$source_dir/scripts/cluster" down "$( (($1)) && echo --keep-logs)" >>"$output" 2>&1 || true
    fi
    exit "$1"
}
