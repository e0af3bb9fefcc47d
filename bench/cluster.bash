# shellcheck shell=bash disable=SC2034,SC2154
# A cluster for a bench: sourced by bench/*.sh, which set srcdir and builddir.  $base is its directory.
cluster() { "$srcdir/scripts/cluster" "$@"; }

start_bench_cluster() { # NAME NODES [OPTIONS...]
    export MSCALE_CLUSTER=$1
    base=/tmp/mscale-$MSCALE_CLUSTER
    trap 'cluster down >&2' EXIT
    cluster up --build "$builddir" --nodes "$2" --pages 0 "${@:3}" >&2
}

# Submits a job of alice; its script comes from --wrap or stdin.  $job is its number.
submit() { # OUT SBATCH-ARGS...
    job=$(cluster as alice sbatch --parsable -o "$1" --open-mode=append "${@:2}" 2>/dev/null)
}

# Why something didn't come: what the newest job and the daemons said last.
show_job() { # OUT
    {
        echo "job $job is $(job_state "$job")"
        grep -v 'step [0-9]* heat' "$1" | tail -n 15
        tail -q -n 8 "$base"/log/*.mscaled.out
    } >&2 || true
}

job_state() { cluster root scontrol -o show job "$1" | grep -oP '(?<= )JobState=\K\S*' | head -1; }
wait_for_end() { # JOB SECONDS
    for ((i = 0; i < $2 * 5; i++)); do
        case $(job_state "$1") in COMPLETED | FAILED | CANCELLED | TIMEOUT | NODE_FAIL) return 0 ;; esac
        sleep 0.2
    done
    echo "job $1 didn't end within $2 s" >&2
    return 1
}

# Lets shared memory have huge pages, which a program that starts again maps in no time; as it was when the bench ends.
shmem_setting=/sys/kernel/mm/transparent_hugepage/shmem_enabled
grant_huge_pages() {
    shmem_before=$(grep -oP '\[\K[a-z_]+' $shmem_setting)
    echo advise >$shmem_setting
}
put_huge_pages_back() { [[ -z ${shmem_before:-} ]] || echo "$shmem_before" >$shmem_setting; }
