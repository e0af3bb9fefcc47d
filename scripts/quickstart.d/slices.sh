# shellcheck shell=bash disable=SC2016,SC2154
# Two jobs on the GPU of one node (a double): different slices, and a state that does not claim more than is held.
show_slices() {
    local jobs=() job
    title "Two jobs on one GPU (a double) hold different slices"
    for _ in first second; do
        jobs+=("$(as_alice sbatch --parsable -w n1 -o "slices-%j.out" --mscale-contract=gpu.model=h100,gpu.sm=32 \
            --wrap 'srun bash -c "echo \$MSCALE_SM_SLICES; sleep 8"')")
    done
    for job in "${jobs[@]}"; do
        wait_for 40 has_slices "$job" || fail "job $job got no slices: $(job_comment "$job")"
        tell "job $job  promised gpu.sm=32  holds slices $(slices_of "$job")"
    done
    disjoint "$(slices_of "${jobs[0]}")" "$(slices_of "${jobs[1]}")" || fail "both jobs hold the same slice"
    tell "no slice is in both (mscale's own answer: the environment of the tasks; Slurm's: $(slurm_slices "${jobs[@]}"))"
    for job in "${jobs[@]}"; do wait_for 60 is_over "$job"; done
    show_state "${jobs[0]}"
    tell "granted, not honoured: this build places slices and does not yet enforce them, and says so."
}

slices_of() { head -1 "$home/slices-$1.out" 2>/dev/null; }
has_slices() { [[ -n $(slices_of "$1") ]]; }

# The indices that the controller tracks: IDX:0-3 IDX:4-7
slurm_slices() {
    for job in "$@"; do on_root scontrol -d show job "$job" | grep -oP 'IDX:[0-9,-]+' | head -1; done | paste -sd' '
}

# 0-3,8 as 0 1 2 3 8
list_numbers() { tr ',' '\n' <<<"$1" | awk -F- '{ for (i = $1; i <= (NF > 1 ? $2 : $1); i++) print i }' | sort; }
disjoint() { [[ -z $(comm -12 <(list_numbers "$1") <(list_numbers "$2")) ]]; }
