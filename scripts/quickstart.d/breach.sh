# shellcheck shell=bash disable=SC2154
# Root moves a loader by hand; mscaled reads cores and pages again and tells.
show_breach() {
    local job pid from to begin
    title "A loader is moved by hand: the contract is broken, and it is told"
    job=$(as_alice bash -c 'cd digits && sbatch --parsable -N1 --mscale-contract=+on_breach.action=warn train.sbatch --epochs 100000')
    wait_for 90 has_epochs "$home/digits/digits-$job.out" 1 || fail "job $job does not train: $(job_comment "$job")"
    wait_for 30 has_state "$job" honoured || fail "job $job is not honoured: $(job_comment "$job")"
    node=$(on_root squeue -h -j "$job" -o %N)
    pid=$(loader_pids "$node" | head -1)
    from=$(promised_cpus "$node" "$job")
    to=$(other_cpu "$from")
    tell "before:   $(job_comment "$job")"
    tell "taskset:  pid $pid on $node from CPU $from to CPU $to"
    begin=$EPOCHREALTIME
    on_host "$node" taskset -pc "$to" "$pid" >>"$output"
    wait_for 10 has_state "$job" breached || fail "not noticed within 10 s: $(job_comment "$job")"
    tell "after:    $(job_comment "$job")"
    tell "told after $(elapsed_since "$begin") s (promised: 5 s)"
    cancel "$job"
}

elapsed_since() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }'; }

# Some CPU of this machine that is not the promised one.
other_cpu() {
    local cpu
    for cpu in $(seq 0 $(($(nproc) - 1))); do
        [[ $cpu == "$1" ]] || { echo "$cpu"; return; }
    done
    fail "this machine has one CPU: a loader can't be moved"
}
