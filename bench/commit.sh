#!/usr/bin/env bash
# What the keepers cost, on a cluster of four nodes with one copy each: the time from the save of a tiny state to its commit for
# 4, 16 and 64 ranks, and how much more memory mscaled takes after 1,000 saves than after 100: one JSON object.  Passes when
# the memory didn't grow by more than the noise of an allocator.
set -Eeuo pipefail
srcdir=${srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${builddir:-$PWD}
# shellcheck source=bench/cluster.bash
source "$srcdir/bench/cluster.bash"
growth_limit_kib=1024

start_bench_cluster bench-commit 4
contract=ft.every=1,ft.copies=1,ft.state=64KiB

# Median and 95th percentile of a run's commits, in milliseconds; the first ten are no measure.  Each of four tasks starts its
# share of the ranks, as torchrun does: a task for each would want a core for each.
measure_commits() { # RANKS SAVES
    local out=$base/home/alice/commit.$1.out script
    # shellcheck disable=SC2016 # for the shell of the task
    script=$(printf '#!/bin/bash\nsrun -N 4 -n 4 bash -c '"'"'for ((i = 0; i < %s; i++)); do
        RANK=$((SLURM_PROCID * %s + i)) LOCAL_RANK=$i WORLD_SIZE=%s LOCAL_WORLD_SIZE=%s %s %s 4096 &
    done; wait'"'" $(($1 / 4)) $(($1 / 4)) "$1" $(($1 / 4)) "$builddir/bench/saves" "$2")
    submit "$out" --mscale-contract="$contract" -N 4 -n 4 -c 1 <<<"$script"
    wait_for_end "$job" 240
    [[ $(grep -c "^commit $2 " "$out") == "$1" ]] || show_job "$out"
    awk '/^commit/ && $2 > 10 { print $3 / 1000 }' "$out" | sort -g |
        awk '{ v[NR] = $1 } END { if (NR) printf "{\"median_ms\": %.2f, \"p95_ms\": %.2f, \"samples\": %d}", v[int((NR + 1) / 2)], v[int(NR * .95 + .5)], NR; else print "null" }'
}

# Memory of all mscaled but that of the snapshots, in KiB.
count_memory() {
    local node
    for node in n1 n2; do
        # shellcheck disable=SC2016 # for the shell there
        cluster exec "$node" sh -c 'awk "/^RssAnon|^VmSwap/ { sum += \$2 } END { print sum }" /proc/$(pgrep -x mscaled)/status'
    done | awk '{ sum += $1 } END { print sum }'
}
wait_for_commit_of() { # OUT SAVE
    for ((i = 0; i < 6000; i++)); do
        ! grep -q "^commit $2 " "$1" 2>/dev/null || return 0
        sleep 0.1
    done
    return 1
}
measure_growth() {
    local out=$base/home/alice/growth.out before after
    submit "$out" --mscale-contract="$contract" -N 2 -n 2 --wrap "srun --overcommit -N 2 -n 4 $builddir/bench/saves 1000 4096 100 1000"
    wait_for_commit_of "$out" 100
    before=$(count_memory)
    wait_for_commit_of "$out" 1000
    after=$(count_memory)
    wait_for_end "$job" 60
    echo $((after - before))
}

few=$(measure_commits 4 60) some=$(measure_commits 16 60) many=$(measure_commits 64 40)
growth=$(measure_growth)
jq -cn --argjson few "$few" --argjson some "$some" --argjson many "$many" --argjson growth "$growth" --argjson limit "$growth_limit_kib" '
    { name: "commit", what: "memory of two mscaled after 1,000 saves beyond that after 100",
      value: $growth, unit: "KiB", limit: $limit, passed: ($growth <= $limit and $few != null and $some != null and $many != null),
      samples: 1, commit_latency: { "4": $few, "16": $some, "64": $many } }'
