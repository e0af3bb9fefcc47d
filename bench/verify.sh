#!/usr/bin/env bash
# Parse + verify on the model of an HGX machine: P99 <= 1 ms in process.
set -eu
srcdir=${srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${builddir:-$PWD}
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
python3 "$srcdir/tests/fixtures/cases/unpack.py" "$srcdir/tests/fixtures/cases/topo/hgx-h100-2s.sysfs" "$tree" >/dev/null
"$builddir/bench/verify" "$tree"
