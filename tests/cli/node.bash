# Helpers of the tests of mscale-node on this very machine: root, a munged of its own, a state directory of its own.
source_dir=$(cd "${BATS_TEST_DIRNAME}/../.." && pwd)
node_program=${BUILD_DIR:-$source_dir/build}/mscale-node
user=65534
pool=/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages

start_node() {
    [[ $EUID -eq 0 ]] || skip "needs root"
    [[ -x $node_program ]] || skip "mscale-node is not built"
    command -v munged >/dev/null || skip "needs munged"
    [[ -w $pool ]] || skip "needs a kernel whose huge pages can be set"
    local parent=/run
    [[ $(stat -fc %T /run) == tmpfs ]] || parent=/dev/shm # ledgers are for a tmpfs: a reboot is a clean start
    export dir
    dir=$(mktemp -d $parent/mscale-node.XXXXXX)
    chmod 755 "$dir"
    head -c 1024 /dev/urandom >"$dir/munge.key"
    chmod 600 "$dir/munge.key"
    munged --force --key-file="$dir/munge.key" --socket="$dir/munge.sock" --pid-file="$dir/munged.pid" \
        --log-file="$dir/munged.log" --seed-file="$dir/munged.seed" 2>>"$dir/munged.out"
    write_site "grow = yes"
}

stop_node() {
    [[ -n ${dir:-} ]] || return 0
    node reconcile --live 0
    local munged limit=$((SECONDS + 30))
    munged=$(<"$dir/munged.pid")
    kill "$munged"
    while kill -0 "$munged" 2>/dev/null && ((SECONDS < limit)); do sleep 0.05; done
    rm -rf --one-file-system "$dir"
}

write_site() { # lines of [hugepages]
    mkdir -p "$dir/profiles"
    printf '[site]\nmode = enforce\n[hugepages]\n%s\n[paths]\nstate = %s\nprofiles = %s\n[munge]\nsocket = %s\n' \
        "$1" "$dir/state" "$dir/profiles" "$dir/munge.sock" >"$dir/mscale.conf"
}

node() { env -i SLURM_CONF=/absent PATH="$PATH" "$node_program" --config "$dir/mscale.conf" "$@"; }

# The credential that job_submit would make: CONTRACT [UID [MODE]]
seal() {
    local payload
    payload=$(jq -cn --arg text "$1" --argjson uid "${2:-$user}" --arg mode "${3:-enforce}" \
        '{mscale_verified: 1, uid: $uid, mode: $mode, tasks: 1, contract: $text}')
    munge --socket="$dir/munge.sock" --string "$payload"
}

# What job_prolog does: JOB CREDENTIAL [COMMAND BEFORE…], for a tracer
apply() {
    local job=$1 credential=$2
    shift 2
    env -i SLURM_CONF=/absent PATH="$PATH" SLURM_JOB_ID="$job" SLURM_JOB_UID=$user SLURM_JOB_GID=$user \
        SPANK_MSCALE_VERIFIED="$credential" "$@" "$node_program" --config "$dir/mscale.conf" apply
}

# Pages of the pool that nobody uses or has reserved: a contract that asks for more makes the pool grow.
spare_pages() { awk '/HugePages_Free/ { free = $2 } /HugePages_Rsvd/ { print free - $2 }' /proc/meminfo; }

record() { jq -r "$2" "$dir/state/jobs/$1.json"; }

mounts() { awk -v below="$dir/state/" 'index($2, below) == 1' /proc/mounts; }

# Of the kernel's pool: pages that are free, pages that are reserved.
pool_use() { awk '/^HugePages_(Free|Rsvd)/ { printf "%s %s ", $1, $2 }' /proc/meminfo; }

# Nothing of any job: no record, no mount, no directory of one, no claim on a pool, and as many pages as BEFORE; where the test
# kept `use_before` they are used and reserved as they were.
expect_clean() { # PAGES BEFORE
    local left
    left=$(find "$dir/state/jobs" "$dir/state/huge" -mindepth 1 2>/dev/null)
    left+=$(find "$dir/state" -maxdepth 1 -name "hugepages.json.*")
    [[ -z $left ]] || { echo "left: $left"; return 1; }
    [[ -z $(mounts) ]] || { echo "mounted: $(mounts)"; return 1; }
    [[ ! -e $dir/state/hugepages.json || $(jq '.pools | length' "$dir/state/hugepages.json") -eq 0 ]] ||
        { cat "$dir/state/hugepages.json"; return 1; }
    [[ $(<$pool) -eq $1 ]] || { echo "huge pages: $(<$pool), not $1"; return 1; }
    [[ $(pool_use) == "${use_before:-$(pool_use)}" ]] || { echo "huge pages: $(pool_use), not $use_before"; return 1; }
}
