#!/usr/bin/env bash
# Copies of four ranks of 256 MiB to partners, at least 0.8 x as quick as plain streams of the same round, at no more than 1.25 x
# their processor time.
set -eu
builddir=${builddir:-$PWD}
"$builddir/bench/ring" 256 9
