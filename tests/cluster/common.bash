# Helpers of the tests that run on a real Slurm (scripts/cluster).  A file of tests begins with
#
#     load common
#     setup_file() { start_cluster --nodes 2; }
#     teardown_file() { stop_cluster; }
#     teardown() { expect_nothing_left; }
#
# scripts/check exports MSCALE_CLUSTER_SHARED=1: then a cluster with the same options serves file after file.
# BUILD_DIR is the build tree (default: ./build).
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export MSCALE_CLUSTER=${MSCALE_CLUSTER:-test}
base=/tmp/mscale-$MSCALE_CLUSTER
conf=$base/etc/mscale/mscale.conf

cluster() { "$source_dir/scripts/cluster" "$@"; }

start_cluster() { # options of `scripts/cluster up`
    cluster up --build "${BUILD_DIR:-$source_dir/build}" "$@" >&3
}

stop_cluster() {
    [[ ${MSCALE_CLUSTER_SHARED:-} == 1 ]] || cluster down
}

# Skips a test (or a file, from setup_file) when the build tree lacks a part: need_part mscaled spank_mscale
need_part() {
    local part
    for part in "$@"; do
        [[ -e $base/plugins/$part.so || -e $base/bin/$part ]] || skip "$part is not built"
    done
}

# Waits until a shell condition holds: wait_until CONDITION SECONDS.  Says which one did not.
wait_until() {
    local deadline=$((SECONDS + $2))
    until eval "$1" >/dev/null 2>&1; do
        ((SECONDS < deadline)) || { echo "after $2 s still not: $1"; return 1; }
        sleep 0.1
    done
}

as_alice() { cluster as alice "$@"; }
as_bob() { cluster as bob "$@"; }
as_root() { cluster root "$@"; }

# Writes stdin as a file of a user, readable by all: user_file USER NAME; prints the path.
user_file() {
    local path=$base/home/$1/$2
    cat >"$path"
    chmod 0755 "$path"
    chown "$(stat -c %u:%g "$base/home/$1")" "$path"
    echo "$path"
}

# sbatch as USER and print the job id only: submit_as USER SBATCH-ARGS...; a script may come on stdin.
submit_as() {
    local user=$1
    shift
    cluster as "$user" sbatch --parsable "$@"
}

job_field() { as_root scontrol -o show job "$1" | grep -oP "(?<= |^)$2=\K[^ ]*" | head -1; }
job_state() { job_field "$1" JobState; }
job_exit_code() { job_field "$1" ExitCode; }
is_over() { [[ $(job_state "$1") =~ ^(COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL|OUT_OF_MEMORY)$ ]]; }
wait_for_job() { wait_until "is_over $1" "${2:-60}"; } # JOB [SECONDS]

# Lets a requeued job begin at once, where Slurm would have it wait for two minutes: not while its last run is still ending, whose
# end Slurm 22.05 then takes for that of the new one.
hurry_job() { # JOB CONDITION SECONDS
    wait_until "[[ \$(job_state $1) == PENDING ]] || $2" 60
    sleep 1
    wait_until "as_root scontrol update jobid=$1 starttime=now; $2" "$3"
}

# AdminComment whole, and the word of the contract's state in it.
admin_comment() { as_root scontrol show job "$1" | grep -oP '^ *AdminComment=\K.*'; }
contract_state() { admin_comment "$1" | grep -oP 'mscale: state=\K[a-z]+'; }

# As scontrol says it, in lower case: idle, mixed, idle+drain, down.  (sinfo of 22.05 can show "mixed" for minutes after a job
# that came and went within one second.)
node_state() { as_root scontrol -o show node "$1" | grep -oP ' State=\K[^ ]*' | tr '[:upper:]' '[:lower:]'; }
node_reason() { as_root sinfo -h -N -n "$1" -o %E | head -1; }

# The node is idle (after what is still completing), neither drained nor down.  "planned" stays after a het job until the
# backfill scheduler runs again.
expect_node_idle() { # NODE...
    local node
    for node in "$@"; do
        wait_until "[[ \$(node_state $node) =~ ^idle(\+planned)?\$ ]]" 20 ||
            { echo "$node is $(node_state "$node"): $(node_reason "$node")"; return 1; }
    done
}

node_names() { cat "$base/etc/nodes"; }
expect_all_idle() { expect_node_idle $(node_names); }

# A record of the job on a node, or nothing: ledger NODE JOB
ledger() { cat "$base/nodes/$1/mscale/jobs/$2.json" 2>/dev/null; }
has_ledger() { [[ -e $base/nodes/$1/mscale/jobs/$2.json ]]; }

free_pages() { awk '/^HugePages_Free/ { print $2 }' /proc/meminfo; }
total_pages() { awk '/^HugePages_Total/ { print $2 }' /proc/meminfo; }
# hugetlbfs mounts of jobs on a node
job_mounts() { cluster exec "$1" grep -c " $base/nodes/$1/mscale/huge/" /proc/mounts || true; }

# After a test: no job, every node idle, no mount.  bats 1.8 counts only the last command of a teardown: let this be it, or
# join what follows by &&.
expect_nothing_left() {
    as_root sh -c 'squeue -h -o %A | xargs -r scancel' &&
        wait_until '[[ -z $(as_root squeue -h) ]]' 40 &&
        expect_all_idle &&
        wait_until 'has_no_mounts' 20
}
has_no_mounts() {
    local node
    for node in $(node_names); do
        [[ $(job_mounts "$node") == 0 ]] || return 1
    done
}

# The output must hold every one of these texts: expect_text "$output" TEXT...
expect_text() {
    local whole=$1 text
    shift
    for text in "$@"; do
        [[ $whole == *"$text"* ]] || { printf 'not in the output: %s\nthe output:\n%s\n' "$text" "$whole"; return 1; }
    done
}
