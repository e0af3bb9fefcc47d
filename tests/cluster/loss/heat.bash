# A training whose output says whether it went on rightly: each rank heats a plate of its own size (examples/heat), under
# `mscale run`.  A file of tests sets `heat`, `steps` and `contract`; `job` is the job's number, `output_file` what it said.
begin_heat() { # RANKS CONTRACT [SBATCH-ARGS...]
    ranks=$1
    output_file=$base/home/alice/${BATS_TEST_FILENAME##*/}.$BATS_TEST_NUMBER.out
    rm -f "$output_file"
    job=$(printf '#!/bin/bash\nmscale run -l %s -- %s\n' "${run_options:-}" "sh -c 'exec $heat \$((256 + 16 * SLURM_PROCID)) $steps 0 ${pause:-1}'" |
        submit_as alice -o "$output_file" -N "$1" -n "$1" --mscale-contract="ft.every=100,ft.state=2MiB,$2" "${@:3}")
}
lines_of() { grep "^ *$1: $2" "$3" | sed 's/^ *[0-9]*: //'; } # RANK PATTERN FILE
show_said() { grep -vE '^ *[0-9]+: step ' "$output_file" || true; }
end_job() { # STATE
    wait_for_job "$job" 240 || { show_said; return 1; }
    show_said
    [[ $(job_state "$job") == "$1" ]] || { echo "the job is $(job_state "$job"): $(admin_comment "$job")"; return 1; }
}
says() { grep -q "^mscale run: .*$1" "$output_file" || { echo "mscale run didn't say '$1'"; return 1; }; }
is_past() { wait_until "grep -qE 'step $1 ' $output_file" 90; } # STEP
has_gone_on() { [[ $(grep -c 'goes on with step' "$output_file") -ge $1 ]]; } # RANKS, of all runs
goes_on() { wait_until "has_gone_on $1" 90; }
# The steps of all runs are those of an undisturbed one, rank by rank, with the same heat.
expect_same_heat() {
    local rank
    for ((rank = 0; rank < ranks; ++rank)); do
        [[ -e $BATS_FILE_TMPDIR/heat.$rank.$steps ]] ||
            "$heat" $((256 + 16 * rank)) "$steps" 2>/dev/null >"$BATS_FILE_TMPDIR/heat.$rank.$steps"
        lines_of "$rank" step "$output_file" | sort -u -V >"$BATS_TEST_TMPDIR/found"
        diff "$BATS_FILE_TMPDIR/heat.$rank.$steps" "$BATS_TEST_TMPDIR/found" || { echo "rank $rank differs"; return 1; }
    done
}
# Each run but the first began after what was committed before it, and none at the beginning.
expect_no_new_beginning() {
    local rank
    for ((rank = 0; rank < ranks; ++rank)); do
        [[ $(lines_of "$rank" 'step 100 ' "$output_file" | wc -l) -le 1 ]] || { echo "rank $rank began from nothing"; return 1; }
    done
}
