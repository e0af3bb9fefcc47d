# Helpers of the tests that run in the guest: tests/guest/run bats tests/guest/*.bats
source_dir=$(cd "${BATS_TEST_DIRNAME}/../.." && pwd)
build=${BUILD_DIR:-$source_dir/build}

require_guest() {
    grep -q mscale_guest= /proc/cmdline && return
    echo "these tests are for the guest: tests/guest/run bats tests/guest/*.bats"
    return 1
}

# A member of the machine as mscale sees it, by jq.
machine() { jq -c "$1" "$BATS_FILE_TMPDIR/machine.json"; }

read_machine() { "$build/mscale" topology --json >"$BATS_FILE_TMPDIR/machine.json"; }

# Pages of 2 MiB that a NUMA node has.
pages_of() { cat "/sys/devices/system/node/node$1/hugepages/hugepages-2048kB/nr_hugepages"; }

# Fails with what was found.
expect() { # FOUND WANTED-PATTERN
    # shellcheck disable=SC2053  # the right side is a pattern
    [[ $1 == $2 ]] && return
    printf 'found:  %s\nwanted: %s\n' "$1" "$2"
    return 1
}
