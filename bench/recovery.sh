#!/usr/bin/env bash
# From the kill of a node to the next step, of four ranks of 256 MiB, minus the program's own start (a bare srun of one step of it
# in the same round), by parts: one JSON object.  Three ways, in turns: mscale run with a spare, a requeue with another node
# dead, a requeue with the batch host dead.  BENCH_ROUNDS (5) rounds, BENCH_MIB (256); settings: end_wait = BENCH_END_WAIT (tasks),
# batch_sched_delay=0, since slurmctld else looks at a requeued job only up to 3 s later, and shmem_enabled = advise: huge pages.
set -Eeuo pipefail
srcdir=${srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${builddir:-$PWD}
# shellcheck source=bench/cluster.bash
source "$srcdir/bench/cluster.bash"
rounds=${BENCH_ROUNDS:-5} mib=${BENCH_MIB:-256} end_wait=${BENCH_END_WAIT:-tasks}
side=$(awk -v mib="$mib" 'BEGIN { printf "%d", sqrt(mib * 1048576 / 8) }')
heat=$builddir/examples/heat
samples=$(mktemp)

start_bench_cluster bench-recovery 6 --slurm-conf SchedulerParameters=batch_sched_delay=0 --mscale-conf recovery.max_down_per_hour=1000 \
    --mscale-conf "recovery.end_wait=$end_wait" --mscale-conf recovery.held_memory=16GiB
trap 'cluster down >&2; put_huge_pages_back; rm -f "$samples"' EXIT
grant_huge_pages
contract=ft.every=3,ft.copies=1,ft.state=$((mib + 1))MiB

seconds_between() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", b - a }'; }
stamp_of() { # PATTERN: when slurmctld last said so
    date -d "$(grep -E "$1" "$base/log/slurmctld.log" | tail -1 | grep -oP '^\[\K[^]]*' | tr T ' ')" +%s.%N
}
# Waits for a condition, looked at 50 times a second.
await() { # SECONDS CONDITION
    local i
    for ((i = 0; i < $1 * 50; i++)); do
        eval "$2" && return 0
        sleep 0.02
    done
    echo "after $1 s still not: $2" >&2
    return 1
}
count_lines() { grep -c "$1" "$2" 2>/dev/null || true; } # PATTERN FILE

# Seconds that a bare srun of one step of the program takes.
measure_start() {
    local out=$base/home/alice/bare.$1
    submit "$out" -N 4 -n 4 --wrap "srun true; date +%s.%N; srun -l $heat $side 1; date +%s.%N"
    wait_for_end "$job" 240
    awk '/^[0-9]+\.[0-9]+$/ { n++; t[n] = $1 } END { printf "%.3f", t[2] - t[1] }' "$out"
}
is_committed() { [[ $(cluster root scontrol show job "$job") =~ snapshot=[1-9] ]]; }
bring_back() { # NODE
    cluster start "$1" >&2
    await 30 "cluster root scontrol update nodename=$1 state=resume 2>/dev/null; [[ \$(cluster root sinfo -h -N -n $1 -o %T) == idle ]]"
}
end_job() {
    cluster root scancel "$job"
    wait_for_end "$job" 60
}

# A sample: {"way", "total", "start", "net", "parts"}.
add_sample() { # WAY KILLED NEXT-STEP START PARTS
    local total
    total=$(seconds_between "$2" "$3")
    jq -cn --arg way "$1" --argjson total "$total" --argjson start "$4" --argjson parts "$5" \
        '{ way: $way, total: $total, start: $start, net: ($total - $start), parts: $parts }' | tee -a "$samples" >&2
}

run_fast() { # ROUND START
    local out=$base/home/alice/fast.$1 timeline=$base/home/alice/timeline.$1.json killed
    submit "$out" --mscale-contract="$contract,ft.spares=1" -N 4 -n 4 \
        --wrap "mscale run -l --timeline=$timeline -- $heat $side 100000"
    await 240 is_committed
    killed=$EPOCHREALTIME
    cluster kill n2
    await 120 "[[ -s $timeline ]]" || { show_job "$out"; return 1; }
    # From the death itself: the timeline begins with the last beat that was heard.
    add_sample fast "$killed" "$(first_step_of "$timeline")" "$2" \
        "$(jq -c '[.spans[] | { (.phase): ((.end_ms - .begin_ms) / 1000) }] | add' "$timeline")"
    end_job
    bring_back n2
}
first_step_of() { stat -c %.6Y "$1"; } # mscale run writes the timeline when it sees the step

run_requeue() { # WAY NODE ROUND START
    local out=$base/home/alice/$1.$3 killed next down cleared allocated
    submit "$out" --mscale-contract="$contract" -N 4 -n 4 --wrap "srun -l $heat $side 100000"
    await 240 is_committed
    killed=$EPOCHREALTIME
    cluster kill "$2"
    await 120 "[[ \$(count_lines 'goes on with step' $out) == 4 ]]" || { show_job "$out"; return 1; }
    next=$EPOCHREALTIME
    down=$(stamp_of "node $2 state set to DOWN") cleared=$(stamp_of "Requeuing JobId=$job") allocated=$(stamp_of "(Allocate|Started) JobId=$job ")
    add_sample "$1" "$killed" "$next" "$4" "{\"down\": $(seconds_between "$killed" "$down"), \"cleared\": $(seconds_between "$down" "$cleared"),
        \"allocated\": $(seconds_between "$cleared" "$allocated"), \"next_step\": $(seconds_between "$allocated" "$next")}"
    end_job
    bring_back "$2"
}

for ((round = 1; round <= rounds; round++)); do
    start=$(measure_start "$round")
    run_fast "$round" "$start"
    run_requeue requeue n3 "$round" "$start"
    run_requeue batch_host n1 "$round" "$start"
done

jq -cs --arg end_wait "$end_wait" --argjson mib "$mib" --arg load "$(cut -d' ' -f1-3 /proc/loadavg)" '
    def median: sort | .[(length - 1) / 2 | floor];
    def p95: sort | .[((length * 0.95) | ceil) - 1];
    def tell(limit): { limit: limit, net_p95: (map(.net) | p95), net_median: (map(.net) | median),
        total_median: (map(.total) | median), total_p95: (map(.total) | p95),
        parts_median: (map(.parts | to_entries) | add | group_by(.key) | map({ key: .[0].key, value: (map(.value) | median) }) | from_entries) };
    (map(select(.way == "fast")) | tell(2.5)) as $fast | (map(select(.way == "requeue")) | tell(5)) as $requeue |
    (map(select(.way == "batch_host")) | tell(8)) as $batch |
    { name: "recovery", what: "from the kill of a node to the next step without the start of the program itself, mscale run, 95th percentile",
      value: $fast.net_p95, unit: "s", limit: 2.5,
      passed: ([$fast, $requeue, $batch] | all(.net_p95 <= .limit)), samples: (length / 3),
      mib_of_rank: $mib, settings: "end_wait = \($end_wait), set_down = own, SchedulerParameters=batch_sched_delay=0, shmem_enabled = advise", load: $load, start_median: (map(.start) | median),
      fast: $fast, requeue: $requeue, batch_host: $batch }' "$samples"
