#!/usr/bin/env bash
# What job_submit_mscale adds to the RPC of a submission with a contract, on 1,000 simulated nodes, over a job_submit plugin
# that does nothing: one JSON object.  Rounds of held jobs, the plugins in turns.
set -Eeuo pipefail
srcdir=${srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${builddir:-$PWD}
rounds=$((20 / ${BENCH_SHARE:-1}))
((rounds >= 4)) || rounds=4
jobs_a_round=50
export MSCALE_CLUSTER=bench-submit
base=/tmp/mscale-$MSCALE_CLUSTER
etc=$base/etc
inventory=$etc/mscale/inventory
cluster() { "$srcdir/scripts/cluster" "$@"; }
trap 'cluster down >&2' EXIT

make -C "$builddir" --silent bench/submit_rpc tests/doubles/job_submit_empty.la >&2 || true
[[ -e $builddir/.libs/job_submit_mscale.so ]] || { echo "job_submit_mscale.so is not built in $builddir" >&2; exit 2; }
cluster up --build "$builddir" --nodes 1 --pages 0 --without mscaled \
    --slurm-conf "NodeName=c[1-1000] $(slurmd -C | sed -n '1{s/^NodeName=[^ ]* //;p}') Gres=sm:h100:16 State=CLOUD" \
    --slurm-conf "PartitionName=cloud Nodes=c[1-1000] MaxTime=INFINITE State=UP" \
    --slurm-conf ResumeProgram=/bin/true --slurm-conf SuspendProgram=/bin/true --slurm-conf SuspendTime=INFINITE >&2
install -m 0755 "$builddir"/tests/doubles/.libs/job_submit_empty.so "$base/plugins/"
install -m 0755 "$builddir/bench/submit_rpc" "$base/bin/"

names=$(seq 1000 | jq -R '"c" + .' | jq -sc .)
class=$(find "$inventory" -name '*.json' ! -name partitions.json | head -1)
jq --argjson names "$names" '.nodes = $names' "$class" >"$inventory/.cloud" && mv "$inventory/.cloud" "$inventory/cloud.json"
jq --argjson names "$names" '.partitions |= map(select(.name != "cloud")) + [{name: "cloud", nodes: $names, default: false}]' \
    "$inventory/partitions.json" >"$inventory/.new" && mv "$inventory/.new" "$inventory/partitions.json"
rm -f "$class"

use_plugin() { # NAME
    sed -i "s/^JobSubmitPlugins=.*/JobSubmitPlugins=$1/" "$etc/slurm.conf"
    cluster restart ctl slurmctld >&2
    until cluster root scontrol ping | grep -q "is UP"; do sleep 0.1; done
}

# The first five of a round warm the caches of a controller that has just started.
submit_round() { # NAME
    use_plugin "$1"
    cluster as alice submit_rpc cloud role.loader.cores=1,gpu.sm=16 $((jobs_a_round + 5)) | tail -n "$jobs_a_round" | sed "s/^/$1 /"
    cluster root scancel -u alice
}

for ((round = 0; round < rounds; round++)); do
    if ((round % 2)); then submit_round mscale; submit_round empty; else submit_round empty; submit_round mscale; fi
done | awk -v limit=0.5 '
    { times[$1, ++count[$1]] = $2 }
    function quantile(name, share,   i, j, t, n, sorted) {
        n = count[name]
        for (i = 1; i <= n; i++) {
            t = times[name, i]
            for (j = i - 1; j > 0 && sorted[j] > t; j--) sorted[j + 1] = sorted[j]
            sorted[j + 1] = t
        }
        return sorted[int((n - 1) * share) + 1] / 1000
    }
    END {
        added = quantile("mscale", 0.5) - quantile("empty", 0.5)
        printf("{\"name\": \"submit\", \"what\": \"median of the submit RPC with a contract: over that with an empty plugin\", ")
        printf("\"value\": %.3f, \"unit\": \"ms\", \"limit\": %.1f, \"passed\": %s, \"samples\": %d, \"nodes\": 1000, ",
            added, limit, added <= limit ? "true" : "false", count["mscale"])
        printf("\"empty_p50_ms\": %.3f, \"mscale_p50_ms\": %.3f, \"empty_p95_ms\": %.3f, \"mscale_p95_ms\": %.3f}\n",
            quantile("empty", 0.5), quantile("mscale", 0.5), quantile("empty", 0.95), quantile("mscale", 0.95))
    }'
