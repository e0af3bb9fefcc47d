# shellcheck shell=bash disable=SC2154
# A contract that no machine here can keep is refused at once; the nearest one that would be kept is printed, and runs.
show_refusal() {
    local asked='role.image_loader.cores=64,role.image_loader.hugepages=2MiB*8' text nearest job
    title "A contract that can't be honoured is refused, with the fact and the nearest one"
    tell "sbatch --mscale-contract=$asked"
    text=$(as_alice sbatch --mscale-contract="$asked" --wrap true 2>&1) && fail "it was accepted"
    quote <<<"$text"
    nearest=$(grep -oP "nearest: \K'?--mscale-contract=.*" <<<"$text" | head -1 | xargs) # xargs reads quotes as a shell does
    [[ -n $nearest ]] || fail "no nearest contract was printed"
    tell "the nearest one, as it stands:"
    job=$(as_alice sbatch --parsable "$nearest" --wrap 'srun true')
    wait_for 60 is_over "$job" || fail "job $job does not end"
    tell "job $job with $nearest: $(job_state "$job")"
    [[ $(job_state "$job") == COMPLETED ]] || fail "the nearest contract did not run: $(job_comment "$job")"
    show_state "$job"
}
