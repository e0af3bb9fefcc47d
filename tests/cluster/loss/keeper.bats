# What outlives mscaled: its holder, the snapshots' memory, the training, which joins again by itself.
load ../common
load snapshots

setup_file() { start_cluster --nodes 3 --pages 0; }
teardown_file() { stop_cluster; }
setup() { need_part mscaled mscale-holder spank_mscale job_submit_mscale; }
teardown() { give_daemons_back && expect_nothing_left && wait_until holds_nothing 20; }

heat=${BUILD_DIR:-$source_dir/build}/examples/heat
side=256
contract=ft.every=200,ft.copies=1,ft.state=1MiB
alone=ft.every=200,ft.state=1MiB # of a job on one node, which has no place for a copy

# -- what a node holds ---------------------------------------------------------------------------------------------------
memfds() { cluster exec "$1" sh -c 'ls -l /proc/[0-9]*/fd 2>/dev/null | grep -c "memfd:mscale-[0-9]"' || true; }
processes() { cluster exec "$1" pgrep -x "$2" || true; } # NODE PROGRAM
holds_nothing() {
    local node
    for node in $(node_names); do
        [[ $(memfds "$node") == 0 && -z $(processes "$node" mscale-holder) ]] || return 1
    done
}
give_daemons_back() {
    local node
    for node in $(node_names); do
        [[ -n $(processes "$node" mscaled) ]] || cluster restart "$node" mscaled
    done
}
daemon_log() { cat "$base/log/$1.mscaled.out"; }
is_ready() { daemon_log "$1" | tail -n 30 | grep -q "node $1: "; }
kill_daemon() { local node; for node in "$@"; do cluster stop "$node" mscaled; done; }
start_daemon() { # NODE...
    local node
    for node in "$@"; do cluster restart "$node" mscaled; done
}

as_user_on() { # NODE USER CMD...
    local id
    id=$(stat -c %u "$base/home/$2")
    cluster exec "$1" setpriv --reuid "$id" --regid "$id" --clear-groups "${@:3}"
}

# -- a job that runs in the background -----------------------------------------------------------------------------------
begin_job() { # SCRIPT SBATCH-ARGS...
    local script=$1
    shift
    output_file=$base/home/alice/keeper.$BATS_TEST_NUMBER.out
    rm -f "$output_file"
    job=$(printf '#!/bin/bash\n%s\n' "$script" | submit_as alice -o "$output_file" -D "$base/home/alice" --mscale-contract="$contract" "$@")
}
# A training that ends only by kill_training, and then goes on to $target.
begin_endless() {
    begin_job "srun -l $heat $side 1000000000; srun -l $heat $side \$(cat target.\$SLURM_JOB_ID)" -N 2 -n 2
}
kill_training() {
    ended=$(last_step) target=$(($(last_step) + 10000))
    echo "$target" >"$base/home/alice/target.$job"
    as_root scancel --signal=KILL "$job.0"
}
last_step() { grep -oP '(^|: )step \K[0-9]+' "$output_file" | tail -1; }
has_passed() { (($(last_step) >= $1)); }
restarted_at() { grep -oP 'goes on with step \K[0-9]+' "$output_file" | sort -u; }
# The heat after the last step is that of an undisturbed plate, in each rank.
expect_same_end() { # STEPS
    local wanted
    wanted=$("$heat" "$side" "$1" 2>/dev/null | tail -1)
    [[ $(grep -c "$wanted" "$output_file") == 2 ]] || { tail -5 "$output_file"; echo "wanted: $wanted"; return 1; }
}

@test "a SIGKILL of mscaled stops no training: saves are degraded, then whole again, and nothing is lost" {
    begin_endless
    wait_until 'has_passed 1000' 60
    kill_daemon n1
    killed=$(last_step)
    wait_until 'grep -q "^0: .*MSC-R008" "$output_file"' 30
    wait_until "has_passed $((killed + 1000))" 60
    start_daemon n1
    wait_until '[[ $(committed_step n1) -gt $killed ]]' 30
    kill_training
    wait_for_job "$job" 240
    echo "killed at $killed, ended at $ended, restarted at $(restarted_at)"
    [[ $(restarted_at | wc -l) == 1 ]]
    (($(restarted_at) > killed + 1000))
    daemon_log n1 | grep -q "2 segments and 1 commit records were taken over"
    expect_same_end "$target"
}

@test "all mscaled of the job killed and started again between two steps: it goes on from the last commit" {
    begin_job "srun -l $heat $side 6000 3000; touch between.\$SLURM_JOB_ID
               until [[ -e again.\$SLURM_JOB_ID ]]; do sleep 0.2; done; srun -l $heat $side 6000" -N 2 -n 2
    wait_until "[[ -e $base/home/alice/between.$job ]]" 60
    kill_daemon n1 n2
    start_daemon n1 n2
    as_alice touch "$base/home/alice/again.$job"
    wait_for_job "$job" 240
    echo "restarted at $(restarted_at)"
    (($(restarted_at) > 2000 && $(restarted_at) <= 3001))
    expect_same_end 6000
}

@test "a holder that was killed is named, and another one is given all that is held" {
    begin_endless
    wait_until 'has_passed 1000' 60
    first=$(processes n1 mscale-holder)
    cluster stop n1 mscale-holder
    wait_until '[[ -n $(processes n1 mscale-holder) ]]' 10
    [[ -n $first && $(processes n1 mscale-holder) != "$first" ]]
    wait_until 'daemon_log n1 | grep -q "mscale-holder has ended or"' 10
    sleep 1 # while it is given everything again
    kill_daemon n1
    kill_training
    start_daemon n1
    wait_for_job "$job" 240
    daemon_log n1 | tail -n 20 | grep -q "2 segments and 1 commit records were taken over"
    [[ $(restarted_at | wc -l) == 1 ]]
    expect_same_end "$target"
}

@test "holder and mscaled of a node killed at once: its snapshot comes from the other node" {
    begin_job "srun -l $heat $side 6000 3000; touch between.\$SLURM_JOB_ID
               until [[ -e again.\$SLURM_JOB_ID ]]; do sleep 0.2; done; srun -l $heat $side 6000" -N 2 -n 2
    wait_until "[[ -e $base/home/alice/between.$job ]]" 60
    kill_daemon n1
    cluster stop n1 mscale-holder
    [[ $(memfds n1) == 0 ]]
    start_daemon n1
    as_alice touch "$base/home/alice/again.$job"
    wait_for_job "$job" 240
    (($(restarted_at) > 2000 && $(restarted_at) <= 3001))
    [[ -z $(daemon_log n1 | tail -n 5 | grep "were taken over") ]]
    expect_same_end 6000
}

@test "a job that ends while mscaled is away leaves no memory when mscaled is back" {
    contract=$alone begin_job "srun -l $heat $side 20000" -N 1 -n 1 -w n1
    wait_until 'has_passed 500' 60
    kill_daemon n1
    wait_for_job "$job" 60
    [[ -n $(processes n1 mscale-holder) ]]
    start_daemon n1
    wait_until holds_nothing 20
}

@test "nobody but root is answered by the holder" {
    contract=$alone begin_job "srun -l $heat $side 20000" -N 1 -n 1 -w n1
    wait_until 'has_passed 500' 60
    socket=$base/nodes/n1/mscale/holder.sock
    [[ $(stat -c %a "$socket") == 700 || $(stat -c %a "$socket") == 600 ]]
    run cluster exec n1 setpriv --reuid "$(id -u nobody)" --clear-groups python3 -c "
import socket
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.connect('$socket')"
    [[ $status != 0 && $output == *PermissionError* ]]
}

@test "the snapshots of a node are shown to their owner and to root, and to nobody else" {
    begin_job "srun -l $heat $side 60000" -N 2 -n 2
    wait_until 'has_passed 1000' 60
    wait_until '[[ $(cluster exec n1 mscale snapshot list --json | jq "[.nodes[0].segments[].slots | length] | add") == 4 ]]' 20
    whole=$(cluster exec n1 mscale snapshot list)
    echo "$whole"
    [[ $(grep -cE "^$job +alice +[01] +[0-9]+[*]? +[0-9]+00 +512 KiB +(own|copy) +[0-9]+ s +20" <<<"$whole") == 4 ]]
    [[ $(cluster exec n1 mscale snapshot list --json | jq -r '[.nodes[0].segments[].kind] | sort | join(",")') == copy,own ]]
    as_user_on n1 alice mscale snapshot list | grep -q " alice "
    [[ $(as_user_on n1 bob mscale snapshot list) == "no snapshot is held" ]]
    run as_user_on n1 bob mscale snapshot show "$job"
    [[ $status == 4 && $output == *MSC-N005* ]]
    run as_user_on n1 bob mscale snapshot verify "$job"
    [[ $status == 4 && $output == *MSC-N005* ]]
}

@test "a job's snapshots are shown of all its nodes, with what is committed" {
    begin_job "srun -l $heat $side 60000" -N 2 -n 2
    wait_until 'has_passed 1000' 60
    run as_user_on n1 alice mscale snapshot show "$job"
    echo "$output"
    [[ $status == 0 && $output =~ committed:\ epoch\ [0-9]+\ of\ step\ [0-9]+00,\ 2\ ranks,\ known\ to\ 2\ nodes ]]
    [[ $output =~ n1\ +$job && $output =~ n2\ +$job ]]
    run cluster exec n1 mscale snapshot show 2700000
    [[ $status == 2 && $output == *MSC-N006* ]]
}

@test "verify reads the data: what is whole is said, a flipped byte is found" {
    begin_job "srun -l $heat $side 600; sleep 60" -N 2 -n 2
    wait_until 'has_passed 600' 60
    wait_until '[[ $(cluster exec n1 mscale snapshot list --json | jq ".nodes[0].segments | length") == 2 ]]' 20
    run as_user_on n1 alice mscale snapshot verify "$job"
    echo "$output"
    [[ $status == 0 && $(grep -c " whole$" <<<"$output") == 4 ]]
    cluster exec n1 python3 - <<'PY'
import glob, mmap, os, re
for link in glob.glob("/proc/[0-9]*/fd/*"):
    try:
        if not re.search("memfd:mscale-[0-9]+-[0-9]+ ", os.readlink(link)): continue
    except OSError: continue
    with open(link, "r+b") as memory:
        data = mmap.mmap(memory.fileno(), 0)
        at = data.find(b"\x00\x00\x00\x00\x00\x00Y@", 2 << 20)  # 100.0, the plate's border
        data[at] ^= 1
    break
PY
    run as_user_on n1 alice mscale snapshot verify "$job"
    echo "$output"
    [[ $status == 1 && $(grep -c " whole$" <<<"$output") == 3 && $(grep -c "damaged: " <<<"$output") == 1 ]]
}

@test "snapshots are dropped by root, not by the owner while the job runs, and the training goes on" {
    begin_job "srun -l $heat $side 60000" -N 2 -n 2
    wait_until 'has_passed 1000' 60
    run as_user_on n1 alice mscale snapshot drop "$job"
    [[ $status == 4 && $output == *"its snapshots are its way back"* ]]
    run cluster exec n1 mscale snapshot drop "$job"
    [[ $status == 0 && $output == *"of memory are free" ]]
    passed=$(last_step)
    wait_until "has_passed $((passed + 2000))" 30
    wait_until '[[ $(cluster exec n1 mscale snapshot list --json | jq ".nodes[0].segments | length") == 2 ]]' 20
}
