#!/usr/bin/env bash
# The stall of a save of four ranks at once, 256 MiB each, into warm slots, checksums included: at most 1.15 x memcpy of the same
# bytes by as many ranks in the same round; the slowest rank counts.
set -eu
builddir=${builddir:-$PWD}
"$builddir/bench/put" 256 15 4
