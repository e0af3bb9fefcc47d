# shellcheck shell=bash disable=SC2154
# The long runs: fuzzing, kill storms, benchmarks.  SHARE is the part of their full length: 1 whole, 10 a tenth.
fuzz_seconds=600
storm_kills=100

build_fuzz_targets() { make_tree "$tree" fuzz; }
fuzz_targets() { find "$tree/tests/fuzz" -maxdepth 1 -type f -name 'fuzz_*' -perm -u+x ! -name '*.*' | sort; }

fuzz_target() { # PROGRAM SECONDS
    local name=${1##*/fuzz_} work
    work=$(mktemp -d)
    "$1" -max_total_time="$2" -print_final_stats=1 -artifact_prefix="$logs/" "$work" "$source_dir/tests/fuzz/corpus/$name"
    local status=$?
    rm -rf "$work"
    return "$status"
}

storm() { # KILLS
    export BUILD_DIR=$tree MSCALE_CLUSTER=check STORM_KILLS=$1 STORM_FAULTS=$((2 * $1))
    bats --tap "$source_dir"/tests/cluster/storm/{kill,growth,fault}_storm.bats "$source_dir"/tests/cluster/storm/point_kills.bats
}

measure() { # SHARE
    BENCH_SHARE=$1 make -C "$tree" bench
}

# All at once: each has its time by the clock, and what a target needs most is to be run at all.
fuzz_all() { # SECONDS
    local target pids=() status=0
    for target in $(fuzz_targets); do
        fuzz_target "$target" "$1" >"$logs/${target##*/}.log" 2>&1 &
        pids+=($!)
    done
    for target in "${pids[@]}"; do wait "$target" || status=1; done
    grep -hE '^(Done|==[0-9]+==ERROR|SUMMARY)' "$logs"/fuzz_*.log
    return "$status"
}

run_fuzzers() { # SHARE
    run_step build-fuzz build_fuzz_targets
    run_step fuzz fuzz_all $((fuzz_seconds / $1))
}

run_long_tests() { # SHARE
    run_many command-tests count_tap run_command_tests $((storm_kills / $1))
    run_many loss-tests count_tap run_loss_tests
    run_many kill-storm count_tap storm $((storm_kills / $1))
    run_step nothing-left stop_check_cluster
    run_step bench measure "$1"
    jq -r '.[] | "  \(.name): \(.value // .error) \(.unit // "") (limit \(.limit // "-"), ratio \(.ratio // "-"), passed \(.passed))"' \
        "$tree/bench.json" 2>/dev/null
}
