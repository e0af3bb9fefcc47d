# For submit*.bats: a cluster whose nodes n1 and n2 have a GPU and n3 has none, where the Prolog notes the verified text and which
# of its variables have a name of ours.
verified=$base/log/verified

start_submit_cluster() { # options of `scripts/cluster up`
    start_cluster --nodes 3 --without mscaled --slurm-conf "Prolog=$base/etc/note-verified" "$@"
    need_part job_submit_mscale spank_mscale mscale
    write_prolog
    split_inventory
    uncover_configuration
    cp "$conf" "$base/etc/mscale/enforcing"
}

write_prolog() {
    cat >"$base/etc/note-verified" <<NOTE
#!/bin/sh
echo "\$SLURM_JOB_ID \$(env | cut -d= -f1 | grep -i mscale | grep -v '^MSCALE_CONF\$' | sort | tr '\n' ' ')" >>$verified.names
echo "\$SLURM_JOB_ID \$SPANK_MSCALE_VERIFIED" >>$verified
NOTE
    chmod 0755 "$base/etc/note-verified"
    touch "$verified" "$verified.names"
}

# n3 becomes a class of its own: the same machine without its GPU.
split_inventory() {
    local directory=$base/etc/mscale/inventory class
    class=$(find "$directory" -name '*.json' ! -name partitions.json ! -name plain.json | head -1)
    [[ -e $directory/plain.json ]] && return
    jq '.nodes = ["n3"] | .machine.gpus = []' "$class" >"$directory/.plain" && mv "$directory/.plain" "$directory/plain.json"
    jq '.nodes = ["n1", "n2"]' "$class" >"$directory/.whole" && mv "$directory/.whole" "$class"
}

# The controller's mscale.conf is a mount, which can't be replaced by a rename; the file below it can.
uncover_configuration() {
    cluster exec ctl mountpoint -q "$conf" || return 0
    cluster exec ctl umount "$conf"
    install -m 0644 "$base/nodes/ctl/mscale.conf" "$conf"
}

# set_mode MODE: mscale.conf is replaced whole, as an administrator should do it.
set_mode() {
    sed "s/^mode = .*/mode = $1/" "$base/etc/mscale/enforcing" >"$conf.new"
    mv "$conf.new" "$conf"
}

controller_pid() { cluster exec ctl pgrep -x slurmctld; }
# slurmctld is the process whose number the file of tests kept in its setup_file.
expect_same_controller() {
    [[ $(controller_pid) == "$(<"$BATS_FILE_TMPDIR/controller")" ]] || { echo "slurmctld is another process now"; return 1; }
}
api() { as_alice "${BUILD_DIR:-$source_dir/build}/tests/doubles/api_client" "$@"; }
job_count() { as_root squeue -h -r | wc -l; }

# The names of ours in the environment of a job's Prolog.
names_in_prolog() { awk -v job="$1" '$1 == job { $1 = ""; print; exit }' "$verified.names"; } # JOB

# The payload that slurmctld vouched for, as the prolog of a job saw it.
verified_text() { # JOB
    awk -v job="$1" '$1 == job { print $2; exit }' "$verified" | as_root unmunge -S "$base/munge/munge.sock" -m /dev/null 2>/dev/null
}
