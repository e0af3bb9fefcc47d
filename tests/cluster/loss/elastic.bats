# Another number of ranks goes on from what so many ranks saved: a part of the field each, and the samples of the epoch each
# once.  What they end with is bit-equal to a run that nothing disturbed.
load ../common
load lost_nodes
load snapshots

setup_file() { start_cluster --nodes 4 --pages 0 --mscale-conf recovery.held_memory=256MiB --mscale-conf recovery.max_down_per_hour=20; }
teardown_file() { stop_cluster; }
setup() {
    need_part mscaled spank_mscale job_submit_mscale
    output_file=$base/home/alice/elastic.$BATS_TEST_NUMBER.out
    rm -f "$output_file"
    spill=$base/home/alice/elastic.$BATS_TEST_NUMBER
}
teardown() { bring_back_lost_nodes && expect_nothing_left; }

rods=${BUILD_DIR:-$source_dir/build}/examples/rods
count=26
points=4099 # of each rod, so that no part begins at a chunk's or a page's edge
contract=ft.every=25,ft.copies=1,ft.state=2MiB

# A batch job whose script is stdin, with its output in $output_file, whichever run or job of it; `job` is its number.
start_job() { # SBATCH-ARGS...
    job=$(submit_as alice -o "$output_file" --open-mode=append --mscale-contract="$contract" -N 2 -n 4 "$@")
}
# Run by run: as many ranks as the list says, until STEPS.
script() { # STEPS PAUSE RANKS...
    local steps=$1 pause=$2
    shift 2
    printf '#!/bin/bash\nranks=(%s)\nrun=${SLURM_RESTART_COUNT:-0}\necho "run $run on" $(scontrol show hostnames)\nsrun -l -N 2 -n ${ranks[run]} %s %s %s %s %s\necho "run $run ends with $?"\n' \
        "$*" "$rods" "$count" "$points" "$steps" "$pause"
}
# The samples of each step, one a line; of a step that was done twice, since what came after the commit was lost, those of the
# last time.
samples_of() { awk '
    { sub(/^ *[0-9]+: /, "") }
    /^run / { ++run }
    /^goes on with step/ { from[run] = $5 }
    /^step / { for (place = $6; place < $8; ++place) line[++lines] = $2 " " $4 " " place; for (; at < lines;) of[++at] = run }
    END { for (i = 1; i <= lines; ++i) {
        split(line[i], word, " ")
        for (later = of[i] + 1; later <= run; ++later) if (from[later] && word[1] + 0 >= from[later]) break
        if (later > run) print line[i]
    } }' "$1" | sort -n -k1,1 -k3,3; }
ends_of() { grep -oE 'rod [0-9]+ heat .*' "$1" | sort -V; }
expect_undisturbed() { # STEPS
    env -i "$rods" "$count" "$points" "$1" >"$BATS_TEST_TMPDIR/undisturbed"
    diff <(ends_of "$BATS_TEST_TMPDIR/undisturbed") <(ends_of "$output_file") >&2
    diff <(samples_of "$BATS_TEST_TMPDIR/undisturbed") <(samples_of "$output_file") >&2
}
says() { grep -q -- "$1" "$output_file" || { show; echo "the job didn't say '$1'"; return 1; }; }
show() { grep -vE ': (step|rod) [0-9]' "$output_file" || true; }
expect_state() { # JOB STATE
    wait_for_job "$1" 120 || { show; return 1; }
    [[ $(job_state "$1") == "$2" ]] || { show; echo "job $1 is $(job_state "$1")"; return 1; }
}
wait_for_commit() { wait_until "committed=\$(committed_step n1) && ((committed >= $1))" 60; } # STEP
hurry() { hurry_job "$job" "grep -q '^run $1 on' $output_file" 60; } # RUN
# What the job has on the nodes is of so many ranks.
ranks_held() { # NODE
    cluster exec "$1" mscale snapshot list --json | jq -r "[.nodes[0].segments[] | select(.job == $job) | .ranks] | unique | join(\" \")"
}
requeue_as() { # STEPS RANKS...
    local steps=$1 run
    shift
    start_job -w n1,n2 < <(script "$steps" 5 "$@")
    for ((run = 1; run < $#; ++run)); do
        wait_for_commit $((run * 150))
        as_root scontrol requeue "$job"
        hurry "$run"
        wait_until "(( \$(grep -c 'goes on with step .* of ${!run} ranks' $output_file) == $(ranks_after "$run" "$@") ))" 40
        wait_until "[[ \$(ranks_held n1) == $(ranks_after "$run" "$@") ]]" 20 # what the others wrote is gone, once these have saved
    done
    expect_state "$job" COMPLETED
    expect_undisturbed "$steps"
}
ranks_after() { shift "$1"; echo "$2"; } # RUN RANKS...

@test "a later step of the same job goes on with fewer ranks, and then with more" {
    start_job -w n1,n2 < <(
        echo '#!/bin/bash'
        for part in "4 210" "2 420" "3 630"; do
            echo "echo run $part; srun -l -N 2 -n ${part% *} $rods $count $points ${part#* } 8 || exit"
        done
    )
    expect_state "$job" COMPLETED
    show
    says "goes on with step .* of 4 ranks"
    says "goes on with step .* of 2 ranks"
    grep -E 'rod [0-9]' "$output_file" | tail -"$count" >"$BATS_TEST_TMPDIR/last"
    { grep -v ': rod ' "$output_file"; cat "$BATS_TEST_TMPDIR/last"; } >"$BATS_TEST_TMPDIR/all"
    output_file=$BATS_TEST_TMPDIR/all
    expect_undisturbed 630
}

@test "four ranks are gone on with by two, after a requeue" {
    requeue_as 1500 4 2
}

@test "two ranks are gone on with by four, and those by three" {
    requeue_as 1800 2 4 3
}

@test "a later job goes on with fewer ranks than the one that it resumes, from memory" {
    contract+=,ft.spill=$spill
    start_job -w n1,n2 -n 3 < <(script 100000 5 3)
    wait_for_commit 150
    first=$job
    as_root scancel "$first"
    wait_for_job "$first" 60
    contract+=,ft.resume=$first
    start_job -w n3,n4 < <(script 1200 2 2)
    expect_state "$job" COMPLETED
    says "goes on with step .* of 3 ranks"
    ! memory_is_gone n1 n2
    expect_undisturbed 1200
}

@test "and from files, when no node has it in memory any more" {
    contract+=,ft.spill=$spill,ft.spill_every=1
    start_job -w n1,n2 < <(script 100000 5 4)
    wait_for_commit 150
    first=$job
    as_root scancel "$first"
    wait_for_job "$first" 60
    wait_until 'memory_is_gone n1 n2' 60
    contract+=,ft.resume=$first
    start_job -w n3,n4 < <(script 1200 2 2)
    expect_state "$job" COMPLETED
    says "goes on with step .* of 4 ranks"
    expect_undisturbed 1200
}

@test "a node that dies before it is made up for by the copies on the other" {
    start_job < <(script 3000 5 4 2)
    wait_for_commit 150
    kill_node n2
    wait_until "grep -q 'goes on with step .* of 4 ranks' $output_file" 60
    expect_state "$job" COMPLETED
    expect_undisturbed 3000
}

# Four ranks, then two that are killed in the middle of their start again and again, and whose mscaled is started anew.
@test "ranks that are killed while they take their parts, and a keeper that begins anew, change nothing" {
    start_job -w n1,n2 < <(
        echo '#!/bin/bash'
        echo "go() { n=\$1 steps=\$2 pause=\$3; shift 3; echo run \$n; srun -l -N 2 -n \$n \"\$@\" $rods $count $points \$steps \$pause; }"
        echo "go 4 250 8"
        echo "for limit in 0.05 0.1 0.2 0.3 0.45 0.6; do go 2 1000 30 timeout -s KILL \$limit; done"
        echo "echo run killed; touch $output_file.killed; until [[ -e $output_file.go ]]; do sleep 0.1; done"
        echo "go 2 1000 2"
    )
    wait_until "[[ -e $output_file.killed ]]" 90
    ranks_held n1
    [[ $(ranks_held n1) == *4* ]] # nothing was saved since
    cluster restart n1 mscaled
    cluster restart n2 mscaled
    touch "$output_file.go"
    wait_until "grep -q 'goes on with step .* of 4 ranks' $output_file" 60
    wait_until '[[ $(ranks_held n1) == 2 ]]' 30
    expect_state "$job" COMPLETED
    show
    grep -E 'rod [0-9]' "$output_file" | tail -"$count" >"$BATS_TEST_TMPDIR/last"
    { grep -v ': rod ' "$output_file"; cat "$BATS_TEST_TMPDIR/last"; } >"$BATS_TEST_TMPDIR/all"
    output_file=$BATS_TEST_TMPDIR/all
    expect_undisturbed 1000
}

@test "what only as many ranks can take back is refused by its name, and its snapshot stays" {
    start_job -w n1,n2 < <(
        echo '#!/bin/bash'
        for part in "4 210" "2 420" "4 420"; do
            echo "echo run $part; srun -l -N 2 -n ${part% *} $rods $count $points ${part#* } 8 a-diary; echo ended with \$?"
        done
    )
    expect_state "$job" COMPLETED
    show
    says "MSC-R014: 'diary': it is opaque: 4 ranks saved it, 2 can't take it"
    [[ $(grep -c 'ended with 0' "$output_file") == 2 ]]
    says "goes on with step .* of 4 ranks"
}

@test "a program that doesn't say that it can is refused, and told how" {
    start_job -w n1,n2 < <(
        echo '#!/bin/bash'
        echo "srun -l -N 2 -n 4 $rods $count $points 210 8; srun -l -N 2 -n 2 ${rods%/*}/heat 64 100000"
    )
    expect_state "$job" FAILED
    says "MSC-R005: the snapshots are of 4 ranks and this run has 2; .*MSCALE_ELASTIC"
}

@test "data-parallel PyTorch goes on with other numbers of ranks: one model, and each sample once" {
    contract=ft.every=2,ft.copies=1,ft.state=16MiB
    build=${BUILD_DIR:-$source_dir/build}
    start_job -w n1,n2 < <(
        echo '#!/bin/bash'
        echo "export MASTER_ADDR=10.77.0.11 PYTHONPATH=$source_dir/python LD_LIBRARY_PATH=$build/.libs OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1"
        for part in "4 7" "2 13" "3 20"; do
            echo "export MASTER_PORT=$((29500 + ${part% *})); echo run $part; srun -l -N 2 -n ${part% *} sh -c 'RANK=\$SLURM_PROCID WORLD_SIZE=\$SLURM_STEP_NUM_TASKS exec /usr/bin/python3 $source_dir/tests/python/train_elastic.py shared ${part#* } 0.2' || exit"
        done
    )
    wait_for_job "$job" 200
    grep -v '": ' "$output_file" || true
    [[ $(job_state "$job") == COMPLETED ]]
    /usr/bin/python3 "$source_dir/tests/cluster/loss/check_elastic.py" "$output_file" 20 | grep '^3 runs'
}

@test "ranks of a dead node whose snapshots are in no memory are made of their groups' parts" {
    contract=ft.every=25,ft.redundancy=xor:3,ft.state=2MiB
    job=$(submit_as alice -o "$output_file" --open-mode=append --mscale-contract="$contract" -N 3 -n 6 < <(script 3000 5 6 3 | sed 's/-N 2/-N 3/'))
    wait_for_commit 150
    kill_node n3
    wait_until "grep -q 'goes on with step .* of 6 ranks' $output_file" 90
    expect_state "$job" COMPLETED
    [[ $(grep -c 'goes on with step .* of 6 ranks' "$output_file") == 3 ]]
    grep -h "job $job: what rank [0-9] of 6 wrote was made of its group's parts" "$base"/log/n?.mscaled.out
    expect_undisturbed 3000
}
