# mscaled: the state that scontrol and sacct show, and what happens when a promise breaks.
#
# The ledgers are written here by hand, as mscale-node writes them, so that each test holds without the other plugins.
load common

setup_file() {
    start_cluster --nodes 3 --without job_submit --without spank \
        --mscale-conf daemon.report_deadline=4s --mscale-conf daemon.reconcile_interval=3s
}
teardown_file() { stop_cluster; }
setup() { need_part mscaled mscale-node; }
teardown() {
    local status=0
    expect_nothing_left || status=1
    rm -f "$base"/nodes/*/mscale/jobs/*.json "$base"/nodes/*/mscale/jobs/*.tasks
    return $status
}

jobs_of() { echo "$base/nodes/$1/mscale/jobs"; }

# A job of USER on N nodes that sleeps; prints its id once it runs.
sleeping_job() { # USER N [SBATCH-ARGS...]
    local user=$1 count=$2 id
    shift 2
    id=$(submit_as "$user" -N "$count" "$@" --wrap "exec sleep 600") || return 1
    wait_until "[[ \$(job_state $id) == RUNNING ]]" 30 >&2 || return 1
    echo "$id"
}

# write_ledger NODE JOB UID [JQ-EDIT]: the record of an applied contract of one loader on CPU 0.
write_ledger() {
    local node=$1 id=$2 uid=$3 edit=${4:-.} nodes
    nodes=$(as_root scontrol show hostnames "$(job_field "$id" NodeList)" | jq -R . | jq -sc .)
    jq -n --argjson id "$id" --argjson uid "$uid" --argjson nodes "$nodes" --argjson now "$(date +%s)" "
        def plan(\$workers): {workers: \$workers, pages: [], ports: [], cores_per_worker: 1, chunks: 0, unenforced: [], notes: []};
        {mscale_ledger: 1, job_id: \$id, restart_count: 0, uid: \$uid, gid: \$uid, started: \$now, stage: \"applied\",
         observe: false, contract: \"role.loader.cores=1\", nodes: \$nodes, sm_slices: [], plan: plan([]), refusals: [],
         acts: [], steps: []} | $edit" >"$BATS_TEST_TMPDIR/ledger"
    install -m 0600 "$BATS_TEST_TMPDIR/ledger" "$(jobs_of "$node")/.$id"
    mv "$(jobs_of "$node")/.$id" "$(jobs_of "$node")/$id.json"
}

# write_ledgers JOB UID [JQ-EDIT]: on each node of the job.
write_ledgers() {
    local node
    for node in $(as_root scontrol show hostnames "$(job_field "$1" NodeList)"); do write_ledger "$node" "$@"; done
}

# The record of a running process as a task: write_task NODE JOB PID ROLE CPUS
write_task() {
    local start
    start=$(cluster exec "$1" cut -d' ' -f22 "/proc/$3/stat")
    echo "4294967291 0 ${4:--} $3 $start $5" >>"$(jobs_of "$1")/$2.tasks"
}

uid_of() { if [[ $1 == root ]]; then echo 0; else cluster as "$1" id -u; fi; }
# The one sleep of a user on a node, as the node's namespace numbers it: sleeper NODE USER
sleeper() {
    local uid
    uid=$(uid_of "$2")
    wait_until "cluster exec $1 pgrep -u $uid -x sleep" 10 >&2 && cluster exec "$1" pgrep -u "$uid" -x sleep
}
ask_mscaled() { # NODE USER REQUEST
    cluster exec "$1" setpriv --reuid "$(uid_of "$2")" --clear-groups python3 -c '
import os, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.sendall(os.fsencode(sys.argv[2]) + b"\n")
print(s.makefile().readline(), end="")' "$base/nodes/$1/mscale/mscaled.sock" "$3"
}
state_is() { [[ $(contract_state "$1") == "$2" ]]; } # JOB STATE

@test "honoured is posted when every node has applied, and not before" {
    id=$(sleeping_job alice 2)
    first=$(job_field "$id" BatchHost)
    write_ledger "$first" "$id" "$(uid_of alice)"
    sleep 1
    run contract_state "$id"
    [ "$output" = "" ]
    write_ledgers "$id" "$(uid_of alice)"
    wait_until "state_is $id honoured" 10
    expect_text "$(admin_comment "$id")" "mscale: state=honoured nodes=2 restarts=0"
}

@test "a clause that is not enforced leaves the state at granted and is named" {
    id=$(sleeping_job alice 1)
    write_ledgers "$id" "$(uid_of alice)" '.plan.unenforced = ["gpu.sm"]'
    wait_until "state_is $id granted" 10
    expect_text "$(admin_comment "$id")" "unenforced=gpu.sm"
}

@test "one node that refuses makes the state refused and is named" {
    id=$(sleeping_job alice 2)
    write_ledgers "$id" "$(uid_of alice)"
    write_ledger n2 "$id" "$(uid_of alice)" '.stage = "refused" | .refusals = [{code: "MSC-S003", clause: "role.loader.hugepages",
        read: "2MiB*9", reason: "none are free", hint: "ask for less"}]'
    wait_until "state_is $id refused" 10
    expect_text "$(admin_comment "$id")" "node=n2" "code=MSC-S003" "clause=role.loader.hugepages"
}

@test "a step that is refused makes the state refused, and status tells why" {
    id=$(sleeping_job alice 1)
    node=$(job_field "$id" BatchHost)
    write_ledgers "$id" "$(uid_of alice)"
    wait_until "state_is $id honoured" 10
    write_ledgers "$id" "$(uid_of alice)" '.steps = [{step_id: 3, cpus: "0", plan: plan([]), refusals: [{code: "MSC-V002",
        clause: "role.loader.cores", read: "4", reason: "Slurm granted 1", hint: "ask for more"}]}]'
    wait_until "state_is $id refused" 10
    expect_text "$(admin_comment "$id")" "node=$node step=3 code=MSC-V002 clause=role.loader.cores"
    run ask_mscaled "$node" alice "{\"op\":\"status\",\"job\":$id}"
    expect_text "$output" '"state":"refused"' "step 3: Slurm granted 1"
    [ "$(job_state "$id")" = RUNNING ]
}

@test "a silent node is named and the job is cancelled" {
    id=$(sleeping_job alice 3)
    write_ledger n1 "$id" "$(uid_of alice)"
    write_ledger n3 "$id" "$(uid_of alice)"
    wait_for_job "$id" 20
    [ "$(job_state "$id")" = CANCELLED ]
    expect_text "$(admin_comment "$id")" "mscale: state=refused" "silent=n2" "code=MSC-N002"
}

@test "the AdminComment of another writer is kept" {
    id=$(sleeping_job alice 1)
    as_root scontrol update jobid="$id" admincomment="site: billed to physics; checked by hand"
    write_ledgers "$id" "$(uid_of alice)"
    wait_until "state_is $id honoured" 10
    expect_text "$(admin_comment "$id")" "site: billed to physics; checked by hand; mscale: state=honoured nodes=1 restarts=0"
}

@test "a changed affinity is a breach within five seconds, with its fact" {
    id=$(sleeping_job alice 1)
    node=$(job_field "$id" BatchHost)
    pid=$(sleeper "$node" alice)
    cluster exec "$node" taskset -pc 0 "$pid"
    write_ledgers "$id" "$(uid_of alice)" '.contract += ",on_breach.action=warn"'
    write_task "$node" "$id" "$pid" loader 0
    wait_until "state_is $id honoured" 10
    cluster exec "$node" taskset -pc 0-1 "$pid"
    wait_until "state_is $id breached" 5
    expect_text "$(admin_comment "$id")" "node=$node pid=$pid role=loader promised=0 found=0-1"
    [ "$(job_state "$id")" = RUNNING ]
}

@test "a breach ends the job when the contract does not say otherwise" {
    id=$(sleeping_job alice 1)
    node=$(job_field "$id" BatchHost)
    pid=$(sleeper "$node" alice)
    write_ledgers "$id" "$(uid_of alice)"
    write_task "$node" "$id" "$pid" loader 7
    wait_for_job "$id" 20
    [ "$(job_state "$id")" = CANCELLED ]
    wait_until "as_root sacct -nX -j $id -o admincomment%200 | grep -q 'state=breached'" 20
}

@test "mscaled killed and started again knows its jobs and cancels none" {
    id=$(sleeping_job alice 3)
    write_ledgers "$id" "$(uid_of alice)"
    wait_until "state_is $id honoured" 10
    for node in n1 n2 n3; do cluster stop "$node" mscaled; done
    as_root scontrol update jobid="$id" admincomment="mscale: state=accepted"
    for node in n1 n3 n2; do cluster restart "$node" mscaled; done
    wait_until "state_is $id honoured" 10
    sleep 5
    [ "$(job_state "$id")" = RUNNING ]
}

@test "a job whose stepd was killed is ended and what it left is killed" {
    id=$(sleeping_job alice 1)
    node=$(job_field "$id" BatchHost)
    pid=$(sleeper "$node" alice)
    write_ledgers "$id" "$(uid_of alice)"
    write_task "$node" "$id" "$pid" "" "$(cluster exec "$node" taskset -pc "$pid" | sed 's/.*: //')"
    wait_until "state_is $id honoured" 10
    cluster exec "$node" pkill -KILL -f "slurmstepd: \[$id.batch\]"
    wait_for_job "$id" 30
    expect_text "$(admin_comment "$id")" "state=breached" "stepd=gone" "step=batch"
    wait_until "! has_ledger $node $id" 20
    wait_until "! cluster exec $node test -e /proc/$pid" 10
}

@test "the end is in the accounting as released, with what it was" {
    id=$(sleeping_job alice 2)
    write_ledgers "$id" "$(uid_of alice)"
    wait_until "state_is $id honoured" 10
    as_root scancel "$id"
    wait_until "as_root sacct -nX -j $id -o admincomment%200 | grep -q 'mscale: state=released was=honoured'" 30
}

@test "a job that ends while slurmdbd is down is released in the accounting when it is back" {
    id=$(sleeping_job alice 1)
    write_ledgers "$id" "$(uid_of alice)"
    wait_until "state_is $id honoured" 10
    cluster stop ctl slurmdbd
    as_root scancel "$id"
    wait_for_job "$id"
    sleep 6
    node=$(job_field "$id" NodeList)
    cluster exec "$node" pgrep -x mscaled
    cluster restart ctl slurmdbd
    wait_until "as_root sacct -nX -j $id -o admincomment%200 | grep -q 'mscale: state=released was=honoured'" 90
}

@test "a damaged ledger is named and left alone" {
    id=$(sleeping_job alice 1)
    node=$(job_field "$id" BatchHost)
    echo '{"half' >"$(jobs_of "$node")/$id.json"
    wait_until "grep -q 'the ledger of job $id is left alone' $base/log/$node.mscaled.out" 10
    wait_until "state_is $id refused" 10
    expect_text "$(admin_comment "$id")" "code=MSC-S001"
    [ "$(cat "$(jobs_of "$node")/$id.json")" = '{"half' ]
    cluster exec "$node" pgrep -x mscaled
    [ "$(job_state "$id")" = RUNNING ]
}

@test "what a crash left of an ended job without a ledger is released" {
    mkdir -p "$base/nodes/n1/mscale/huge/900001"
    touch "$(jobs_of n1)/900001.tasks" "$(jobs_of n1)/900002.lock"
    wait_until "[[ ! -e $base/nodes/n1/mscale/huge/900001 ]]" 15
    wait_until "[[ ! -e $(jobs_of n1)/900001.tasks && ! -e $(jobs_of n1)/900002.lock ]]" 5
}

@test "status is for the owner and root, on any node, and for nobody else" {
    id=$(sleeping_job alice 2)
    write_ledgers "$id" "$(uid_of alice)"
    wait_until "state_is $id honoured" 10
    for who in alice root; do
        run ask_mscaled n3 "$who" "{\"op\":\"status\",\"job\":$id}"
        expect_text "$output" '"ok":true' '"state":"honoured"' '"node":"n1"' '"node":"n2"'
    done
    run ask_mscaled n1 bob "{\"op\":\"status\",\"job\":$id}"
    expect_text "$output" '"ok":false' "MSC-N005"
    run ask_mscaled n1 bob '{"op":"status"}'
    [ "$output" = '{"ok":true,"jobs":[]}' ]
}

@test "a role is registered by its owner only, and only from within the job" {
    id=$(sleeping_job alice 1)
    node=$(job_field "$id" BatchHost)
    pid=$(sleeper "$node" alice)
    cluster exec "$node" taskset -pc 0 "$pid"
    write_ledgers "$id" "$(uid_of alice)" '.steps = [{step_id: 4294967291, cpus: "0", refusals: [], plan: plan([{index: 0, gpu: null,
        gpu_pci: "", sms: 0, chunks: 0, main: "0", roles: [{name: "loader", cpus: "0", numa: null, pages: [], disk: "", gpu: null, gpu_pci: ""}]}])}]'
    write_task "$node" "$id" "$pid" "" 0
    run ask_mscaled "$node" bob "{\"op\":\"register\",\"role\":\"loader\",\"pid\":$pid}"
    expect_text "$output" '"ok":false' "MSC-N005"
    run ask_mscaled "$node" alice "{\"op\":\"register\",\"role\":\"loader\",\"pid\":1}"
    expect_text "$output" '"ok":false' "MSC-N006"
    run ask_mscaled "$node" alice "{\"op\":\"register\",\"role\":\"loader\",\"pid\":$pid}"
    expect_text "$output" '"ok":true' '"cpus":"0"'
    grep -q " loader $pid " "$(jobs_of "$node")/$id.tasks"
}

@test "noise on the local socket is answered with an error that is text, and mscaled goes on" {
    before=$(cluster exec n1 pgrep -ox mscaled)
    run ask_mscaled n1 alice $'"\xff'
    expect_text "$output" '"ok":false' "MSC-P020"
    run ask_mscaled n1 alice "$(printf '[%.0s' {1..4000})"
    expect_text "$output" '"ok":false' "MSC-P020"
    [ "$(cluster exec n1 pgrep -ox mscaled)" = "$before" ]
}

@test "a munged that goes away in the midst of a call can't end mscaled" {
    ignored=$(cluster exec n1 grep SigIgn "/proc/$(cluster exec n1 pgrep -ox mscaled)/status" | cut -f2)
    ((0x$ignored >> 12 & 1)) # SIGPIPE
}

# Sends stdin as one credential to mscaled on n1 as NODE would; prints the answer's length, 0 when there is none.
send_to_n1() { # [NODE]
    cluster exec "${1:-n2}" python3 -c '
import socket, struct, sys
credential = sys.argv[1].encode()
s = socket.create_connection(("10.77.0.11", 6821), 5)
s.sendall(struct.pack(">I", len(credential)) + credential)
answer = b""
try:
    while piece := s.recv(65536): answer += piece
except ConnectionError: pass
print(len(answer))' "$(cat)"
}
seal_as() { # USER JSON
    cluster exec n2 setpriv --reuid "$(uid_of "$1")" --clear-groups munge --socket="$base/munge/munge.sock" --string "$2"
}
question() { echo "{\"to\":\"$1\",\"nonce\":\"00\",\"op\":\"$2\",\"body\":{\"job\":1}}"; } # NODE OP

@test "another node's question is answered once, and not again when it is replayed" {
    credential=$(seal_as root "$(question n1 ask)")
    [ "$(send_to_n1 <<<"$credential")" != 0 ]
    [ "$(send_to_n1 <<<"$credential")" = 0 ]
}

@test "a question for another node, a user's report and noise are closed without an answer" {
    [ "$(seal_as root "$(question n3 ask)" | send_to_n1)" = 0 ]
    [ "$(seal_as alice "$(question n1 report)" | send_to_n1)" = 0 ]
    [ "$(seal_as alice "$(question n1 status)" | send_to_n1)" != 0 ]
    [ "$(echo noise | send_to_n1)" = 0 ]
    cluster exec n1 pgrep -x mscaled
}

@test "a node is drained for its own fault, with the reason, and for nothing else" {
    echo 2 >"$base/nodes/n2/mscale/contradictions"
    sleep 4
    expect_node_idle n2
    echo 3 >"$base/nodes/n2/mscale/contradictions"
    wait_until '[[ $(node_state n2) == idle+drain ]]' 10
    expect_text "$(node_reason n2)" "mscale: 3 applies in a row contradict the inventory"
    rm "$base/nodes/n2/mscale/contradictions"
    as_root scontrol update nodename=n2 state=resume
}

@test "mscale.conf is read again when it changed and on SIGHUP, and a fault changes nothing" {
    conf_of_n2=$base/nodes/n2/mscale.conf log=$base/log/n2.mscaled.out
    before=$(cat "$conf_of_n2")
    lines_of() { grep -c "$1" "$log" || true; }
    again=$(lines_of "mscale.conf was read again")
    sed 's/^grow = .*/grow = perhaps/' <<<"$before" >"$conf_of_n2" # in place: it is a bind mount
    wait_until "grep -q 'the settings stay as they were.*perhaps' $log" 10
    sleep 4
    [ "$(lines_of 'the settings stay as they were')" = 1 ]
    printf '%s\n' "${before/report_deadline = 4s/report_deadline = 5s}" >"$conf_of_n2"
    cluster exec n2 pkill -HUP -x mscaled
    wait_until "(( \$(grep -c 'mscale.conf was read again' $log) == again + 1 ))" 3
    printf '%s\n' "$before" >"$conf_of_n2"
    wait_until "(( \$(grep -c 'mscale.conf was read again' $log) == again + 2 ))" 10
}

@test "idle connections of a user shut out neither other nodes nor other users" {
    cluster exec n2 python3 -c '
import socket, time
held = []
end = time.time() + 12
while time.time() < end:
    for _ in range(80):
        try: held.append(socket.create_connection(("10.77.0.11", 6821), 1))
        except OSError: pass
    held = held[-400:]
    time.sleep(0.3)' 3>&- &
    flood=$!
    id=$(sleeping_job alice 2)
    write_ledgers "$id" "$(uid_of alice)"
    wait_until "state_is $id honoured" 10
    [ "$(seal_as root "$(question n1 ask)" | send_to_n1 n3)" != 0 ]
    wait "$flood"
}
