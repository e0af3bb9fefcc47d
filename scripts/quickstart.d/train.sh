# shellcheck shell=bash disable=SC2154
# A training run under a contract, shown live; the proof is taken while it runs.
train_under_contract() {
    local job file
    title "Train under a contract, as the ordinary user alice"
    grep -E '^(#SBATCH --mscale|mscale run)' "$home/digits/train.sbatch" | quote
    job=$(as_alice bash -c 'cd digits && mkdir -p whole && sbatch --parsable train.sbatch --epochs 40 --samples whole')
    file=$home/digits/digits-$job.out
    tell "job $job: 1797 real handwritten digits (scikit-learn's), three ranks over gloo"
    wait_for 120 has_epochs "$file" 2 || fail "no training after two minutes: $(tail -3 "$file" 2>/dev/null)"
    head -3 "$file" | quote
    wait_for 30 has_state "$job" honoured || true
    prove_promise "$job"
    follow "$job" "$file"
    whole_result=$(grep '^trained' "$file" || true)
    tell "$bold$whole_result$plain"
    [[ $(job_state "$job") == COMPLETED ]] || fail "the training ended as $(job_state "$job"); see $file"
    show_state "$job"
}

has_epochs() { (($(grep -c '^epoch' "$1") >= $2)); } # FILE COUNT

# The lines that are still to come, as they come.
follow() { # JOB FILE [LINES ALREADY SHOWN]
    local shown=${3:-3} lines
    until is_over "$1"; do
        show_more "$2"
        sleep 0.5
    done
    show_more "$2"
}
show_more() {
    lines=$(($(wc -l <"$1") - 0))
    ((lines <= shown)) || sed -n "$((shown + 1)),${lines}p" "$1" | grep -E '^epoch +[0-9]*[05] ' | quote || true
    shown=$lines
}

show_state() { # JOB
    tell "what Slurm says of the contract (scontrol show job, sacct):"
    job_comment "$1" | sed 's/^/AdminComment=/' | quote
    show_accounting "$1"
}
