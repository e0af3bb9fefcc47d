# shellcheck shell=bash disable=SC2034,SC2154
# The same training again; a node dies in the middle, and the end is the same to the last bit.
show_recovery() {
    local job file
    title "A node dies in the middle of the same training"
    tell "the same script, with three clauses more: --mscale-contract=+$recovery_clauses"
    job=$(as_alice bash -c "cd digits && mkdir -p killed && sbatch --parsable --mscale-contract=+$recovery_clauses train.sbatch --epochs 40 --samples killed")
    file=$home/digits/digits-$job.out
    wait_for 120 has_epochs "$file" 12 || fail "no training after two minutes: $(tail -3 "$file" 2>/dev/null)"
    tell "at $(grep '^epoch' "$file" | tail -1): n2 loses its power (its processes are killed, its network is gone)"
    "$source_dir/scripts/cluster" kill n2 >>"$output" 2>&1
    follow "$job" "$file" "$(wc -l <"$file")"
    grep -E '^(mscale run:|goes on)' "$file" | quote
    tell "$bold$(grep '^trained' "$file" || true)$plain"
    [[ $(job_state "$job") == COMPLETED ]] || fail "the training ended as $(job_state "$job"); see $file"
    prove_same_training
    show_state "$job"
    bring_node_back
}
recovery_clauses=ft.every=20,ft.copies=1,ft.spares=1

# Loss, accuracy and every bit of the weights; which images each step and rank was trained with.
prove_same_training() {
    local now whole killed
    now=$(grep '^trained' "$file")
    whole=$(list_samples whole) killed=$(list_samples killed)
    tell "loss, accuracy and weights of the undisturbed run: $(mark "$whole_result" "$now")"
    tell "images of all $(wc -l <<<"$killed") steps and ranks, each step once:     $(mark "$(digest "$whole")" "$(digest "$killed")")"
    tell "steps without a gap:                               $(mark "$(seq "$(last_step "$killed")" | digest_input)" "$(cut -d' ' -f1 <<<"$killed" | sort -nu | digest_input)")"
    compare "$whole_result" "$now"
    compare "$whole" "$killed"
    ((mismatches == 0)) || fail "the training with a loss is not the undisturbed one"
}

# A step that was lost and done again stands there twice, with the same images or it would show here.
list_samples() { sort -u "$home/digits/$1"/* | sort -n -k1,1 -k2,2; } # DIRECTORY
last_step() { tail -1 <<<"$1" | cut -d' ' -f1; }
digest() { digest_input <<<"$1"; }
digest_input() { sha256sum | cut -c1-16; }

bring_node_back() {
    "$source_dir/scripts/cluster" start n2 >>"$output" 2>&1
    on_root scontrol update nodename=n2 state=resume >>"$output" 2>&1 || true
    wait_for 30 node_is_idle n2 || fail "n2 did not come back"
    tell "n2 is back: $(on_root sinfo -h -N -n n2 -o %T)"
}
node_is_idle() { [[ $(on_root sinfo -h -N -n "$1" -o %T) == idle ]]; }
