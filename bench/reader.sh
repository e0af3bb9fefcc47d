#!/usr/bin/env bash
# A file of 512 MiB read by mscale_io and by fio, both by io_uring, directly, with registered buffers, the same depth and block,
# taking turns: the median of the reader at least 0.95 x fio's.  The reader asks for huge pages for its buffers, fio by itself
# doesn't.  The file lies in READER_DIR, else in the build directory.
set -eu
builddir=${builddir:-$PWD}
depth=32 block=262144 rounds=${READER_ROUNDS:-9}
command -v fio >/dev/null || { echo "fio is not installed" >&2; exit 1; }
file=$(mktemp "${READER_DIR:-$builddir}/reader-XXXXXX")
trap 'rm -f "$file" "$file.how"' EXIT
dd if=/dev/urandom of="$file" bs=1M count=512 conv=fsync status=none

read_by_fio() {
    fio --name=read --filename="$file" --readonly --rw=read --bs=$block --iodepth=$depth --ioengine=io_uring --direct=1 \
        --fixedbufs=1 --output-format=json | jq '.jobs[0].read.bw_bytes / 1048576'
}
read_by_mscale() { "$builddir/bench/reader" "$file" $depth $block 2>"$file.how"; }

read_by_fio >/dev/null
read_by_mscale >/dev/null
for ((i = 0; i < rounds; i++)); do
    if ((i % 2)); then theirs=$(read_by_fio) ours=$(read_by_mscale); else ours=$(read_by_mscale) theirs=$(read_by_fio); fi
    echo "$ours $theirs"
done | jq -cRs --arg how "$(<"$file.how")" '
    def median: sort | .[length / 2 | floor];
    [split("\n")[] | select(. != "") | split(" ") | map(tonumber)] | {
        name: "reader", value: (map(.[0]) | median), unit: "MiB/s", limit: 0.95,
        ratio: ((map(.[0]) | median) / (map(.[1]) | median)), samples: ., how: ($how | sub("^[^:]*: "; ""))
    } | .passed = (.ratio >= .limit)'
