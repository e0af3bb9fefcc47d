# gres_sm.so on a real Slurm: which slices, for whom.
load common

setup_file() {
    start_cluster --nodes 2
    need_part gres_sm
}
teardown_file() { stop_cluster; }
teardown() { expect_nothing_left; }

# The numbers of "0-3,8" one a line.
expand() { tr ',' '\n' <<<"$1" | while IFS=- read -r first last; do seq "$first" "${last:-$first}"; done; }
# Lists of so many numbers each, none in both: expect_disjoint COUNT LIST COUNT LIST
expect_disjoint() {
    local common
    expect_count "$1" "$2" && expect_count "$3" "$4" || return 1
    set -- "$2" "$4"
    common=$(comm -12 <(expand "$1" | sort) <(expand "$2" | sort))
    [ -z "$common" ] || { echo "$1 and $2 share: $common"; return 1; }
}

expect_count() { # COUNT LIST
    [ "$(expand "$2" | grep -c .)" = "$1" ] || { echo "not $1 slices: '$2'"; return 1; }
}
# Every number of the first list is in the second: expect_part LIST LIST
expect_part() {
    local beyond
    beyond=$(comm -23 <(expand "$1" | sort) <(expand "$2" | sort))
    [ -z "$beyond" ] || { echo "of $1 not in $2: $beyond"; return 1; }
}

@test "a job and its step are told the numbers of their slices" {
    id=$(submit_as alice -w n1 --gres=sm:4 -o "$base/home/alice/told" --wrap 'echo batch $MSCALE_SM_SLICES; srun --gres=sm:4 sh -c "echo step \$MSCALE_SM_SLICES"')
    wait_for_job "$id" 30
    expect_text "$(<"$base/home/alice/told")" "batch 0-3" "step 0-3"
}

@test "two steps at the same time hold disjoint slices of their job" {
    run as_alice sbatch --wait -w n1 -n2 --gres=sm:5 -o "$base/home/alice/steps" --wrap '
        echo job=$MSCALE_SM_SLICES
        srun -n1 --exact --gres=sm:2 sh -c "echo a=\$MSCALE_SM_SLICES; sleep 3" &
        srun -n1 --exact --gres=sm:3 sh -c "echo b=\$MSCALE_SM_SLICES; sleep 3" &
        wait'
    [ "$status" = 0 ]
    a=$(grep -oP '^a=\K.*' "$base/home/alice/steps")
    b=$(grep -oP '^b=\K.*' "$base/home/alice/steps")
    whole=$(grep -oP '^job=\K.*' "$base/home/alice/steps")
    expect_count 5 "$whole"
    expect_disjoint 2 "$a" 3 "$b"
    expect_part "$a" "$whole"
    expect_part "$b" "$whole"
}

@test "two jobs on one node hold disjoint slices" {
    two_jobs --gres=sm:6
    expect_disjoint 6 "$(slices_in first)" 6 "$(slices_in second)"
}

@test "two jobs with a contract of slices hold disjoint ones, and so do their steps" {
    two_jobs --mscale-contract=gpu.sm=48
    expect_disjoint 6 "$(slices_in first)" 6 "$(slices_in second)"
    for job in first second; do
        step=$(grep -oP '^step=\K.*' "$base/home/alice/$job")
        expect_count 2 "$step"
        expect_part "$step" "$(slices_in $job)"
    done
    for job in "$first" "$second"; do
        expect_text "$(as_root sacct -nX -P -j "$job" -o AllocTRES)" "gres/sm=6"
    done
}
# Two jobs at the same time that tell their slices and those of a step: two_jobs SBATCH-ARGS
two_jobs() {
    local script='echo job=$MSCALE_SM_SLICES; srun --gres=sm:2 bash -c "echo step=\$MSCALE_SM_SLICES"
        touch $SLURM_JOB_ID.here; until [ $(ls *.here | wc -l) = 2 ]; do sleep 0.1; done'
    rm -f "$base"/home/alice/*.here
    first=$(submit_as alice -w n1 -n1 -c1 "$@" -o "$base/home/alice/first" --wrap "$script")
    second=$(submit_as alice -w n1 -n1 -c1 "$@" -o "$base/home/alice/second" --wrap "$script")
    wait_for_job "$first" 40 && wait_for_job "$second" 40
}
slices_in() { grep -oP '^job=\K.*' "$base/home/alice/$1"; }

@test "a step that asks no slices isn't told those of its job" {
    run as_alice sbatch --wait -w n1 --gres=sm:2 -o "$base/home/alice/none" --wrap 'srun --gres=none sh -c "echo got=\$MSCALE_SM_SLICES."'
    expect_text "$(<"$base/home/alice/none")" "got=."
}

@test "prolog and epilog of each node are told the slices" {
    cat >"$base/etc/note-slices" <<NOTE
#!/bin/sh
echo "\$SLURM_JOB_ID \$SLURMD_NODENAME \$SLURM_SCRIPT_CONTEXT \$MSCALE_SM_SLICES" >>$base/log/slices
NOTE
    chmod 0755 "$base/etc/note-slices"
    : >"$base/log/slices"
    chmod 0666 "$base/log/slices"
    sed -i -e '/^Prolog=/d' -e '/^Epilog=/d' "$base/etc/slurm.conf"
    echo "Prolog=$base/etc/note-slices" >>"$base/etc/slurm.conf"
    echo "Epilog=$base/etc/note-slices" >>"$base/etc/slurm.conf"
    as_root scontrol reconfigure
    id=$(submit_as alice -N2 --gres=sm:3 --wrap true)
    wait_for_job "$id" 30
    wait_until "[[ \$(grep -c '^$id .*0-2' $base/log/slices) == 4 ]]" 20
    sed -i -e '/^Prolog=/d' -e '/^Epilog=/d' "$base/etc/slurm.conf"
    as_root scontrol reconfigure
}

@test "a gres.conf that counts slices without files is named in slurmd's log, and slurmd doesn't start" {
    cp "$base/etc/gres.conf" "$base/etc/gres.conf.kept"
    echo "NodeName=n2 Name=sm Type=h100 Count=16" >"$base/etc/gres.conf"
    reason="mscale: gres/sm: slurmd doesn't start: gres.conf gives 16 slices without File="
    run cluster restart n2 slurmd
    run wait_until 'grep -q "$reason" "$base/log/n2.slurmd.log" "$base/log/n2.slurmd.out"' 10
    mv "$base/etc/gres.conf.kept" "$base/etc/gres.conf"
    [ "$status" = 0 ]
    cluster restart n2 slurmd
    expect_node_idle n2
}
