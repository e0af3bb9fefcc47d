# A flipped byte in each region of a snapshot in memory: it is named, and the next best copy is used, on a real Slurm.
load ../common
load snapshots

setup_file() { start_cluster --nodes 2 --pages 0; }
teardown_file() { stop_cluster; }
setup() { need_part mscaled spank_mscale job_submit_mscale; }
teardown() { expect_nothing_left; }

heat=${BUILD_DIR:-$source_dir/build}/examples/heat
regions="superblock header extents sums data trailer"

# Two ranks save each hundredth step and kill themselves after step 650; the script waits before they begin again.
begin_and_stop() {
    output_file=$base/home/alice/flipped.$BATS_TEST_NUMBER.out
    rm -f "$output_file" "$base"/home/alice/again.*
    job=$(printf '#!/bin/bash\nsrun -l %s 256 2000 650 1\ntouch between.$SLURM_JOB_ID\nuntil [[ -e again.$SLURM_JOB_ID ]]; do sleep 0.1; done\nsrun -l %s 256 2000\n' "$heat" "$heat" |
        submit_as alice -o "$output_file" -D "$base/home/alice" --mscale-contract=ft.every=100,ft.copies=1,ft.state=1MiB -w n1,n2 -N 2 -n 2)
    wait_until "[[ -e $base/home/alice/between.$job ]] && [[ \$(committed_step n1) == 600 && \$(committed_step n2) == 600 ]]" 60
}
flip() { cluster exec "$1" python3 "$source_dir/tests/cluster/loss/flip.py" "$job" "$2" "$3"; } # NODE RANK REGION
go_on() {
    as_alice touch "$base/home/alice/again.$job"
    wait_for_job "$job" 60
    grep -v ': step ' "$output_file" || true
    [[ $(job_state "$job") == "$1" ]]
}
went_on_with() { [[ $(grep -oP 'goes on with step \K[0-9]+' "$output_file" | sort -u) == "$1" ]] || { echo "went on with $(grep 'goes on' "$output_file")"; return 1; }; }
ends_right() { [[ $(grep -c "$("$heat" 256 2000 2>/dev/null | tail -1)" "$output_file") == 2 ]]; }
words_of() { cat "$base/log/$1.mscaled.out"; } # NODE
verified() { cluster exec "$1" mscale snapshot verify "$job" || true; }

@test "a flipped byte in any region of a rank's own snapshot: it is named, and the copy on the other node is used" {
    local region
    for region in $regions; do
        begin_and_stop
        flip n2 1 "$region"
        said=$(verified n2)
        echo "$region: $said"
        [[ $region == superblock ]] || grep -E "damaged|MSC-R001" <<<"$said"
        before=$(words_of n2 | wc -l)
        go_on COMPLETED
        words_of n2 | tail -n +$((before + 1))
        went_on_with 601
        ends_right
    done
}

@test "a flipped byte in any region of a copy: it is named, and without its node's own snapshot the older epoch is used" {
    local region
    for region in header extents sums data trailer; do
        begin_and_stop
        flip n1 1 "$region"
        flip n2 1 data
        said=$(verified n1)
        echo "$region: $said"
        grep -E "damaged|MSC-R001" <<<"$said"
        go_on COMPLETED
        cat "$base"/log/n?.mscaled.out | grep -a "job $job" | tail -n 4
        went_on_with 501
        ends_right
    done
}
