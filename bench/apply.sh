#!/usr/bin/env bash
# mscale-node apply with cores and 64 huge pages, and release after each: 200 times, the 99th percentile of the process's
# whole life against 100 ms.  Prints one JSON object; needs root and munged.
set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd)
BATS_TEST_DIRNAME=$source_dir/tests/cli
BUILD_DIR=${builddir:-$source_dir/build}
skip() { echo "$1" >&2; exit 1; }
# shellcheck source=tests/cli/node.bash
. "$source_dir/tests/cli/node.bash"
samples=200 limit=100
start_node
trap stop_node EXIT
credential=$(seal "role.loader.cores=1,role.loader.hugepages=2MiB*64")
now() { echo $((${EPOCHREALTIME/[.,]/} / 1)); }
for ((i = 0; i < samples; i++)); do
    start=$(now)
    apply 7 "$credential" >/dev/null
    middle=$(now)
    node release --job 7
    echo "$((middle - start)) $(($(now) - middle))"
done >"$dir/times"
jq -cRn --argjson limit $limit '
    def at(p): sort | .[((length * p | ceil) - 1)];
    [inputs | split(" ") | map(tonumber / 1000)] as $times
    | ($times | map(.[0])) as $apply | ($times | map(.[1])) as $release
    | ($apply | at(0.99)) as $value
    | {name: "apply", value: $value, unit: "ms at P99", limit: $limit, ratio: ($value / $limit),
       passed: ($value <= $limit), samples: ($times | length), median: ($apply | at(0.5)),
       release_median: ($release | at(0.5)), release_p99: ($release | at(0.99))}' "$dir/times"
