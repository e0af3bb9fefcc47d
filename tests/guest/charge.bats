#!/usr/bin/env bats
# mscale-charge on cgroup v2, in a tree as slurmstepd makes it: a process of the job lives in its step's leaf.
load guest

scope=/sys/fs/cgroup/system.slice/slurmstepd.scope
job=$scope/job_7
leaf=$job/step_0/user/task_0

setup_file() { require_guest; }
setup() {
    local at
    mkdir -p "$leaf"
    for at in /sys/fs/cgroup "${scope%/*}" "$scope" "$job" "$job/step_0" "$job/step_0/user"; do
        echo "+memory +pids" >"$at/cgroup.subtree_control"
    done
    echo $((96 << 20)) >"$job/memory.max"
    sh -c "echo 0 >$leaf/cgroup.procs; exec sleep 1000" &
    training=$!
    wait_for_training
}
teardown() {
    kill "$training" 2>/dev/null || true
    wait "$training" 2>/dev/null || true
    find "$scope" -depth -type d -exec rmdir {} + 2>/dev/null || true
}
wait_for_training() { until grep -qx "$training" "$leaf/cgroup.procs"; do sleep 0.1; done; }

# mscale-charge with a memfd that lives as long as this command does: charge MIB
charge() {
    python3 - "$build/mscale-charge" "$job" $(($1 << 20)) <<'PY'
import os, subprocess, sys
memory = os.memfd_create("unit", 0)
os.ftruncate(memory, int(sys.argv[3]))
os.dup2(memory, 3)
done = subprocess.run([sys.argv[1], sys.argv[2], "v2", sys.argv[3]], pass_fds=[3], stderr=subprocess.PIPE)
print(done.returncode, done.stderr.decode().strip())
for name in ("memory.current", "mscale/memory.current"):
    print(int(open(sys.argv[2] + "/" + name).read()) >> 20)
PY
}
kills() { awk '$1 == "oom_kill" { print $2 }' "$job/memory.events"; }

@test "the pages are the job's, though no process can stand beside its steps" {
    run sh -c "echo $training >$job/cgroup.procs" # what would be simpler
    [ "$status" -ne 0 ]
    run charge 48
    [ "${lines[0]}" = "0 " ] || [ "${lines[0]}" = 0 ]
    ((lines[1] >= 48 && lines[2] == 48))
}

@test "the pages are huge where the kernel grants them to shared memory, and small where it doesn't" {
    setting=/sys/kernel/mm/transparent_hugepage/shmem_enabled
    before=$(grep -oP '\[\K[a-z_]+' "$setting")
    hold() { # what an mscaled does that keeps it
        python3 - "$build/mscale-charge" "$job" $((48 << 20)) <<'PY'
import os, subprocess, sys
memory = os.memfd_create("unit", 0)
os.ftruncate(memory, int(sys.argv[3]))
os.dup2(memory, 3)
subprocess.run([sys.argv[1], sys.argv[2], "v2", sys.argv[3]], pass_fds=[3], check=True)
for line in open(sys.argv[2] + "/mscale/memory.stat"):
    if line.startswith("shmem_thp "): print(int(line.split()[1]) >> 20)
PY
    }
    echo advise >"$setting"
    huge=$(hold)
    echo never >"$setting"
    small=$(hold)
    echo "$before" >"$setting"
    expect "$huge $small" "48 0"
}

@test "what the job's limit doesn't allow is refused, and nobody is killed" {
    run charge 128
    expect "${lines[0]}" "1 the job's memory limit was met after *"
    [ "$(kills)" = 0 ]
    kill -0 "$training"
}

@test "the part stays beside the steps, so that the job pays when its last step here has ended" {
    charge 16
    kill "$training"; wait "$training" || true
    until rmdir "$leaf"; do sleep 0.1; done
    rmdir "$job/step_0/user" "$job/step_0"
    run rmdir "$job" # what slurmstepd tries then
    [ "$status" -ne 0 ]
    run charge 48
    ((lines[1] >= 48))
}
