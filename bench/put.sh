#!/usr/bin/env bash
# The stall of a save of 256 MiB into a warm slot, checksums included: at most 1.15 x memcpy of the same bytes in the same round.
set -eu
builddir=${builddir:-$PWD}
"$builddir/bench/put" 256 21
