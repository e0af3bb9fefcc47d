#!/usr/bin/env bash
# How much longer `srun true` takes with the SPANK plugin and no contract than without the plugin: one JSON object.
# Two hosts, one whose Slurm has no plugin at all; srun goes to them in turns, and half of the time the hosts change places.
set -Eeuo pipefail
srcdir=${srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${builddir:-$PWD}
pairs=$((200 / ${BENCH_SHARE:-1}))
((pairs >= 60)) || pairs=60 # fewer say more about the neighbours of this machine than about the plugin
export MSCALE_CLUSTER=bench-srun
base=/tmp/mscale-$MSCALE_CLUSTER
etc=$base/etc
cluster() { "$srcdir/scripts/cluster" "$@"; }
trap 'cluster down >&2' EXIT

[[ -e $builddir/.libs/spank_mscale.so ]] || { echo "spank_mscale.so is not built in $builddir" >&2; exit 2; }
cluster up --build "$builddir" --nodes 2 --without mscaled >&2
: >"$etc/plugstack-without.conf"
sed "s|^PlugStackConfig=.*|PlugStackConfig=$etc/plugstack-without.conf|" "$etc/slurm.conf" >"$etc/slurm-without.conf"

# The host's slurmd, and with it each slurmstepd, sees an empty plugstack.conf: run_without NODE
run_without() {
    cluster exec "$1" mount --bind "$etc/plugstack-without.conf" "$etc/plugstack.conf"
    restart "$1"
}
run_with() {
    cluster exec "$1" umount "$etc/plugstack.conf"
    restart "$1"
}
restart() {
    cluster restart "$1" slurmd >&2
    until cluster root sinfo -h -N -n "$1" -o %T | grep -qx idle; do sleep 0.1; done
}

# Lines "with MS" and "without MS": measure WITH-NODE WITHOUT-NODE
measure() {
    cluster as alice bash -c '
        one() { # SIDE CONF NODE
            local begin=$EPOCHREALTIME
            SLURM_CONF=$2 srun -Q -w $3 true || exit 1
            echo "$1 $((${EPOCHREALTIME/./} - ${begin/./}))"
        }
        for ((i = 0; i < $1; i++)); do
            if ((i % 2)); then
                one with "$2" "$3"; one without "$4" "$5"
            else
                one without "$4" "$5"; one with "$2" "$3"
            fi
        done' bash $((pairs / 2)) "$etc/slurm.conf" "$1" "$etc/slurm-without.conf" "$2"
}

{
    run_without n2
    measure n1 n2
    run_with n2
    run_without n1
    measure n2 n1
} | awk -v limit=1.05 '
    { times[$1, ++count[$1]] = $2 }
    function median(side, n, i, j, t, a) {
        n = count[side]
        for (i = 1; i <= n; i++) a[i] = times[side, i]
        for (i = 2; i <= n; i++) { t = a[i]; for (j = i - 1; j > 0 && a[j] > t; j--) a[j + 1] = a[j]; a[j + 1] = t }
        return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
    }
    END {
        with = median("with"); without = median("without")
        # Both runs of a pair saw the same load.
        for (i = 1; i <= count["with"]; i++) times["ratio", ++count["ratio"]] = times["with", i] / times["without", i]
        ratio = median("ratio")
        printf "{\"name\": \"srun\", \"what\": \"srun true without a contract: with the plugin over without it\", " \
            "\"value\": %.3f, \"unit\": \"ratio\", \"ratio\": %.3f, \"limit\": %.2f, \"passed\": %s, \"samples\": %d, " \
            "\"median_with_ms\": %.1f, \"median_without_ms\": %.1f}\n", ratio, ratio, limit,
            ratio <= limit ? "true" : "false", count["with"], with / 1000, without / 1000
    }'
