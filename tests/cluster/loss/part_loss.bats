# One device of a node is lost while the node lives: an RDMA port, an NVMe drive, a GPU.  The devices are doubles
# (scripts/cluster.d/devices.sh): files in place of /sys/class and /sys/block, and an NVML library that tells what a file says.
# What is shown is what mscale does, not how hardware fails.
load ../common
load snapshots

setup_file() {
    start_cluster --nodes 3 --pages 0 --devices --slices 0 --mscale-conf daemon.watch_interval=1s
    echo "# the ports, drives and GPUs of these tests are doubles" >&3
}
teardown_file() { stop_cluster; }
setup() {
    need_part mscaled spank_mscale job_submit_mscale
    output_file=$base/home/alice/part.$BATS_TEST_NUMBER.out
}
teardown() {
    bring_back_devices
    expect_nothing_left
}

heat=${BUILD_DIR:-$source_dir/build}/examples/heat
side=256
steps=6000
pause=3 # milliseconds after each step: long enough to look on
kept=ft.every=100,ft.copies=1,ft.state=1MiB,ft.spares=1

# The hosts' own devices, as the kernel would show them.
sys_of() { echo "$base/nodes/$1/sys"; }
set_port() { echo "$3" >"$(sys_of "$1")/class/infiniband/$2/ports/1/state"; } # NODE DEVICE STATE
pull_drive() { mv "$(sys_of "$1")/block/$2" "$BATS_FILE_TMPDIR/$1.$2"; }      # NODE NAME
# GPU 0 or 1 of a host fails: a line more in its section of what the NVML double tells.
fail_gpu() { # NODE NUMBER LINE
    local conf=$base/nodes/$1/gpus.conf
    [[ -f $BATS_FILE_TMPDIR/$1.gpus ]] || cp "$conf" "$BATS_FILE_TMPDIR/$1.gpus"
    sed "/^minor = $2\$/a $3" "$conf" >"$BATS_FILE_TMPDIR/gpus.new"
    cat "$BATS_FILE_TMPDIR/gpus.new" >"$conf" # in place: the host has it by a mount
}
# A GPU that failed counts as failed until its mscaled is started again.
mend_gpus() { # NODE
    [[ -f $BATS_FILE_TMPDIR/$1.gpus ]] || return 0
    cat "$BATS_FILE_TMPDIR/$1.gpus" >"$base/nodes/$1/gpus.conf"
    rm "$BATS_FILE_TMPDIR/$1.gpus"
    cluster restart "$1" mscaled
}
bring_back_devices() {
    local node device drive
    for node in $(node_names); do
        mend_gpus "$node"
        for device in mlx5_0 mlx5_1; do set_port "$node" "$device" "4: ACTIVE"; done
        for drive in nvme0n1 nvme1n1; do
            [[ ! -d $BATS_FILE_TMPDIR/$node.$drive ]] || mv "$BATS_FILE_TMPDIR/$node.$drive" "$(sys_of "$node")/block/$drive"
        done
    done
}

# A batch job of two ranks on n1 and n2 with n3 as the spare; `job` is its number.
begin_job() { # CONTRACT [SCRIPT]
    local script=${2:-mscale run -l --timeline=$base/home/alice/part.json -- $heat $side $steps 0 $pause}
    job=$(printf '#!/bin/bash\n%s\n' "$script" | submit_as alice -o "$output_file" -N 2 -n 2 --mscale-contract="$1")
}
is_past() { wait_until "grep -qE 'step $1 ' $output_file" 60; } # STEP
end_job() { # STATE
    wait_for_job "$job" 180 || { grep -v ': step ' "$output_file"; return 1; }
    grep -v ': step ' "$output_file" || true
    [[ $(job_state "$job") == "$1" ]] || { echo "the job is $(job_state "$job")"; return 1; }
}
says() { grep -q "^mscale run: .*$1" "$output_file" || { echo "mscale run didn't say '$1'"; return 1; }; }
is_in_state() { [[ $(admin_comment "$job") == *"mscale: state=$1"* ]]; } # STATE [FIELDS]
recorded() { as_root sacct -n -P -X -j "$job" -o AdminComment; }

# The steps of all runs are those of an undisturbed one, rank by rank, with the same heat.
expect_same_heat() {
    local rank
    "$heat" "$side" "$steps" 2>/dev/null >"$BATS_TEST_TMPDIR/wanted"
    for rank in 0 1; do
        grep "^ *$rank: step" "$output_file" | sed 's/^ *[0-9]*: //' | sort -u -V >"$BATS_TEST_TMPDIR/found"
        cmp "$BATS_TEST_TMPDIR/wanted" "$BATS_TEST_TMPDIR/found"
    done
}
runs_of() { grep -c "^ *0: .*goes on with step" "$output_file" || true; }
# The drive that the plan of the job's newest step on a node names.
planned_drive() { ledger "$1" "$job" | jq -r '[.steps[] | select(.step_id < 4294967280)][-1].plan.workers[0].roles[0].disk'; }

has_step() { ledger "$1" "$job" | jq -e 'any(.steps[]; .step_id < 4294967280)'; } # NODE
# The state is granted, and both nodes have planned a step of srun, with the devices that are there by now.
wait_for_steps() {
    wait_until "is_in_state granted" 20
    wait_until "has_step n1 && has_step n2" 20
}

@test "a port that goes down is told, the other port of the contract carries on, and no rank is ended" {
    begin_job "$kept,rdma.port=[mlx5_0:1,mlx5_1:1]"
    is_past 1000
    set_port n2 mlx5_0 "1: DOWN"
    wait_until "is_in_state 'breached node=n2 lost=port promised=mlx5_0:1 found=DOWN other=mlx5_1:1'" 15
    [[ $(job_state "$job") == RUNNING ]]
    run cluster exec n2 mscale status "$job"
    expect_text "$output" "lost: port mlx5_0:1 is DOWN, snapshots go by mlx5_1:1"
    end_job COMPLETED
    says "n2: port mlx5_0:1 is DOWN, snapshots go by mlx5_1:1; the training goes on"
    says "port mlx5_0:1 of n2 lost at .*, went on with step"
    grep -q '"lost": "port mlx5_0:1 of n2"' "$base/home/alice/part.json"
    [[ $(runs_of) == 0 ]]
    expect_same_heat
    expect_text "$(recorded)" "state=breached node=n2 lost=port"
}

@test "when all ports of the contract are down the snapshots go by TCP, and what is committed grows" {
    begin_job "$kept,rdma.port=[mlx5_0:1,mlx5_1:1]"
    is_past 1000
    set_port n1 mlx5_0 "1: DOWN"
    set_port n1 mlx5_1 "2: INIT"
    wait_until "is_in_state 'breached node=n1 lost=port promised=mlx5_0:1 found=DOWN other=TCP'" 15
    local before
    before=$(committed_step n1)
    wait_until "((\$(committed_step n1) > before))" 15
    end_job COMPLETED
    says "n1: port mlx5_1:1 is INIT, snapshots go by TCP; the training goes on"
    [[ $(runs_of) == 0 ]]
    expect_same_heat
}

@test "a drive that vanishes is replaced by another that satisfies the clause, and the ranks go on from the last commit" {
    begin_job "$kept,role.loader.disk=nvme"
    is_past 1000
    [[ $(planned_drive n2) == "nvme0n1 (DOUBLE0)" ]]
    pull_drive n2 nvme0n1
    wait_until "says 'restart 1 of 10 on the same nodes, going on with step'" 30
    wait_until "[[ \$(planned_drive n2) == 'nvme1n1 (DOUBLE1)' ]]" 15
    wait_until "is_in_state granted" 15
    end_job COMPLETED
    says "n2 lost a part at step .*: drive nvme0n1 (DOUBLE0) is absent, nvme1n1 (DOUBLE1) takes its place"
    says "drive nvme0n1 (DOUBLE0) of n2 lost at"
    says "total .* ms"
    [[ $(runs_of) == 1 ]]
    expect_same_heat
}

@test "a drive whose name the contract gives has no other: on_breach decides, here to fail" {
    begin_job "$kept,role.loader.disk=nvme0n1"
    is_past 1000
    pull_drive n1 nvme0n1
    end_job CANCELLED
    expect_text "$(recorded)" "state=breached node=n1 lost=drive promised=nvme0n1_(DOUBLE0) found=absent"
    [[ $(runs_of) == 0 ]]
}

@test "a drive that nothing replaces goes on as breached where the contract only warns" {
    begin_job "role.loader.disk=nvme0n1,on_breach.action=warn" "srun sleep 20"
    wait_for_steps
    pull_drive n2 nvme0n1
    wait_until "is_in_state 'breached node=n2 lost=drive promised=nvme0n1_(DOUBLE0) found=absent'" 15
    [[ $(job_state "$job") == RUNNING ]]
    end_job COMPLETED
}

@test "without mscale run a drive that another could replace is a breach that ends nothing" {
    begin_job "role.loader.disk=nvme" "srun sleep 20"
    wait_for_steps
    pull_drive n2 nvme0n1
    wait_until "is_in_state 'breached node=n2 lost=drive promised=nvme0n1_(DOUBLE0) found=absent other=nvme1n1_(DOUBLE1)'" 15
    end_job COMPLETED
}

@test "the node that lost a device serves other jobs on" {
    begin_job "role.loader.disk=nvme0n1" "srun sleep 60"
    wait_for_steps
    pull_drive n2 nvme0n1
    wait_for_job "$job" 30
    expect_node_idle n2
    other=$(submit_as bob -o /dev/null -w n2 -N 1 --wrap true)
    wait_for_job "$other" 30
    [[ $(job_state "$other") == COMPLETED ]]
}

# The GPU that the plan of the job's newest step on a node names.
planned_gpu() { ledger "$1" "$job" | jq -r '[.steps[] | select(.step_id < 4294967280)][-1].plan.workers[0].gpu_pci'; }
gpu_run="mscale run -l -- sh -c 'echo \"gpu \$MSCALE_GPU\"; exec $heat $side $steps 0 $pause'"

@test "a GPU with a fatal Xid: its ranks go on from the last commit on the other GPU of the node" {
    begin_job "$kept,gpu.model=h100" "$gpu_run"
    is_past 1000
    local first other
    first=$(planned_gpu n2)
    [[ $first == 0000:1b:00.0 ]] && other=0001:1b:00.0 || other=0000:1b:00.0
    fail_gpu n2 "$((16#${first:3:1}))" "xid = 79"
    wait_until "says 'restart 1 of 10 on the same nodes, going on with step'" 30
    wait_until "[[ \$(planned_gpu n2) == $other ]]" 15
    wait_until "is_in_state granted" 20
    end_job COMPLETED
    says "n2 lost a part at step .*: GPU $first has failed: Xid 79, $other takes its place"
    says "GPU $first of n2 lost at"
    [[ $(runs_of) == 1 ]]
    grep -q "^ *1: gpu $other" "$output_file"
    expect_same_heat
}

@test "a GPU that falls off the bus when the node has no other: the ranks go on on the spare node" {
    begin_job "$kept,gpu.model=h100" "$gpu_run"
    is_past 1000
    local first other
    first=$(planned_gpu n2)
    [[ $first == 0000:1b:00.0 ]] && other=1 || other=0
    fail_gpu n2 "$((1 - other))" "lost = yes"
    wait_until "says 'restart 1 of 10 on the same nodes'" 30
    wait_until "((\$(runs_of) == 1))" 30
    fail_gpu n2 "$other" "lost = yes"
    wait_until "says 'restart 2 of 10 with n3 in place of n2, going on with step'" 30
    wait_until "is_in_state granted" 20
    end_job COMPLETED
    says "GPU .* of n2 lost at"
    says "and the job has no other here"
    expect_same_heat
}

@test "an Xid that is a program's own fault ends nothing" {
    begin_job "$kept,gpu.model=h100" "$gpu_run"
    is_past 1000
    fail_gpu n2 0 "xid = 13"
    end_job COMPLETED
    [[ $(runs_of) == 0 ]]
    ! grep -q 'lost a part' "$output_file"
}

@test "without mscale run a failed GPU is a breach, and on_breach decides" {
    begin_job "gpu.model=h100" "srun sleep 60"
    wait_for_steps
    local first
    first=$(planned_gpu n1)
    fail_gpu n1 "$((16#${first:3:1}))" "xid = 48"
    wait_until "is_over $job" 30
    [[ $(job_state "$job") == CANCELLED ]]
    expect_text "$(recorded)" "state=breached node=n1 lost=GPU promised=$first found=Xid_48"
    expect_node_idle n1
}
