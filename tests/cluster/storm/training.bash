# One long training of `ranks` ranks under `mscale run` whose samples are counted (samples.py), and what must hold at its end.
# `job` is its number, `work` where its ranks note their samples, `output_file` what it said.
begin_training() {
    output_file=$base/home/alice/storm.out
    rm -f "$output_file"
    job=$(submit_as alice -N $ranks -n $ranks -o "$output_file" --open-mode=append --mscale-contract=ft.every=20,ft.copies=2,ft.state=1MiB,ft.spares=3 <<SCRIPT
#!/bin/bash
export PYTHONPATH=$source_dir/python LD_LIBRARY_PATH=$base/lib
verdict=left
while [[ \$verdict == left || \$verdict == ended ]]; do # a run that was told to end is followed by another
    status=0
    mscale run --max-restarts=100000 --hang-limit=5 --verdict=$work.verdict -- \
        /usr/bin/python3 $source_dir/tests/cluster/storm/samples.py $work 0.01 || status=\$?
    verdict=\$(jq -r .verdict $work.verdict)
done
exit \$status
SCRIPT
    )
    wait_until '[[ -n $(committed_now) ]]' 40
}

# The ranks are told the step after which they end; the whole of what each says is that of an undisturbed training.
end_training() {
    local last rank
    last=$(($(tail -qn 1 "$work"/[0-9]* | cut -d' ' -f1 | sort -n | tail -1) + 500))
    as_alice sh -c "echo $last >$work/last.new; mv $work/last.new $work/last"
    wait_for_job "$job" 120
    [[ $(job_state "$job") == COMPLETED ]] || { echo "the job is $(job_state "$job")"; tail -n 20 "$output_file"; return 1; }
    for ((rank = 0; rank < ranks; ++rank)); do
        PYTHONPATH=$source_dir/python python3 "$source_dir/tests/cluster/storm/samples.py" undisturbed $rank $ranks "$last" |
            diff - "$work/end.$rank" || { echo "rank $rank took other samples than in an undisturbed training"; return 1; }
    done
}
# Every rank noted each step up to the last, each time with the same samples, and begins with step 1 only once.
expect_whole_ledger() {
    local rank
    for ((rank = 0; rank < ranks; ++rank)); do
        [[ $(grep -c '^1 ' "$work/$rank") == 1 ]] || { echo "rank $rank began from nothing"; return 1; }
        [[ $(sort -u "$work/$rank" | wc -l) == $(<"$work/last") && $(cut -d' ' -f1 "$work/$rank" | sort -un | wc -l) == $(<"$work/last") ]] ||
            { echo "rank $rank has lost a step, or took other samples in it"; return 1; }
    done
}

# Of mscaled on a node: descriptors, threads.
usage_of() { cluster exec "$1" sh -c 'p=$(pgrep -xo mscaled); ls /proc/$p/fd | wc -l; ls /proc/$p/task | wc -l'; }
holds_nothing() {
    local node
    for node in $(node_names); do
        [[ $(cluster exec "$node" mscale snapshot list) == "no snapshot is held" && -z $(cluster exec "$node" pgrep -x mscale-holder) &&
            -z $(rank_pids "$node") && -z $(cluster exec "$node" pgrep -u 60101) ]] || return 1
    done
}
# Streams to other nodes may stay for the next job; what grows with each fault doesn't.
expect_no_growth() { # NODE DESCRIPTORS THREADS, AND THE SAME AFTER IT
    echo "# $1: $2 descriptors and $3 threads of mscaled before, $4 and $5 after" >&3
    (($4 <= $2 + 10 && $5 <= $3 + 4))
}
