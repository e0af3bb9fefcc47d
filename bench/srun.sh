#!/usr/bin/env bash
# How much longer `srun true` takes with the SPANK plugin and no contract than without any plugin, and than with one whose
# hooks do nothing (what Slurm itself spends on such hooks: a slurmstepd of its own for the prolog): one JSON object.
# Three hosts, each with a plugstack.conf of its own; srun goes to them in turns, and the hosts change places each round.
set -Eeuo pipefail
srcdir=${srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${builddir:-$PWD}
triples=$((200 / ${BENCH_SHARE:-1}))
((triples >= 60)) || triples=60 # fewer say more about the neighbours of this machine than about the plugin
export MSCALE_CLUSTER=bench-srun
base=/tmp/mscale-$MSCALE_CLUSTER
etc=$base/etc
sides=(without empty mscale)
cluster() { "$srcdir/scripts/cluster" "$@"; }
trap 'cluster down >&2' EXIT

make -C "$builddir" --silent tests/doubles/spank_empty.la >&2 || true
[[ -e $builddir/.libs/spank_mscale.so ]] || { echo "spank_mscale.so is not built in $builddir" >&2; exit 2; }
cluster up --build "$builddir" --nodes 3 --without mscaled >&2
install -m 0755 "$builddir/tests/doubles/.libs/spank_empty.so" "$base/plugins/"

# Each side has its plugstack.conf and a slurm.conf that names it.
: >"$etc/plugstack-without.conf"
echo "optional $base/plugins/spank_empty.so" >"$etc/plugstack-empty.conf"
cp "$etc/plugstack.conf" "$etc/plugstack-mscale.conf"
for side in "${sides[@]}"; do
    sed "s|^PlugStackConfig=.*|PlugStackConfig=$etc/plugstack-$side.conf|" "$etc/slurm.conf" >"$etc/slurm-$side.conf"
done

# The host's slurmd, and with it each slurmstepd, sees the plugstack.conf of a side: set_side NODE SIDE
set_side() {
    cluster exec "$1" umount "$etc/plugstack.conf" 2>/dev/null || true
    cluster exec "$1" mount --bind "$etc/plugstack-$2.conf" "$etc/plugstack.conf"
    cluster restart "$1" slurmd >&2
    until cluster root sinfo -h -N -n "$1" -o %T | grep -qx idle; do sleep 0.1; done
}

# Lines "SIDE MICROSECONDS": measure COUNT SIDE-OF-N1 SIDE-OF-N2 SIDE-OF-N3
# shellcheck disable=SC2016 # for the shell of alice
measure() {
    cluster as alice bash -c '
        etc=$1 count=$2
        shift 2
        one() { # SIDE NODE
            local begin=$EPOCHREALTIME
            SLURM_CONF=$etc/slurm-$1.conf srun -Q -w "$2" true || exit 1
            echo "$1 $((${EPOCHREALTIME/./} - ${begin/./}))"
        }
        for ((i = 0; i < count; i++)); do
            for ((k = 0; k < 3; k++)); do
                n=$(((i + k) % 3 + 1))
                one "${!n}" "n$n"
            done
        done' bash "$etc" "$@"
}

for ((turn = 0; turn < 3; turn++)); do
    for ((node = 1; node <= 3; node++)); do set_side "n$node" "${sides[(node + turn) % 3]}"; done
    measure $((triples / 3)) "${sides[(1 + turn) % 3]}" "${sides[(2 + turn) % 3]}" "${sides[(3 + turn) % 3]}"
done | awk -v limit=1.05 '
    { times[$1, ++count[$1]] = $2 }
    function median(side, n, i, j, t, a) {
        n = count[side]
        for (i = 1; i <= n; i++) a[i] = times[side, i]
        for (i = 2; i <= n; i++) { t = a[i]; for (j = i - 1; j > 0 && a[j] > t; j--) a[j + 1] = a[j]; a[j + 1] = t }
        return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
    }
    END {
        # The three runs of a round saw the same load.
        for (i = 1; i <= count["mscale"]; i++) {
            times["ratio", ++count["ratio"]] = times["mscale", i] / times["without", i]
            times["over_empty", ++count["over_empty"]] = times["mscale", i] / times["empty", i]
        }
        ratio = median("ratio")
        printf "{\"name\": \"srun\", \"what\": \"srun true without a contract: with the plugin over without any\", " \
            "\"value\": %.3f, \"unit\": \"ratio\", \"ratio\": %.3f, \"limit\": %.2f, \"passed\": %s, \"samples\": %d, " \
            "\"over_an_empty_plugin\": %.3f, \"median_ms\": {\"mscale\": %.1f, \"empty\": %.1f, \"without\": %.1f}}\n", ratio, ratio,
            limit, ratio <= limit ? "true" : "false", count["mscale"], median("over_empty"), median("mscale") / 1000,
            median("empty") / 1000, median("without") / 1000
    }'
