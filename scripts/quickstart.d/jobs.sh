# shellcheck shell=bash disable=SC2154
# Small questions to the cluster.
on_root() { "$source_dir/scripts/cluster" root "$@"; }
on_host() { "$source_dir/scripts/cluster" exec "$@"; }
as_alice() { "$source_dir/scripts/cluster" as alice "$@"; }

home=$base/home/alice
copy_example() {
    cp -r "$source_dir/examples/digits" "$home/"
    cp -r "$source_dir/python/mscale" "$home/digits/"
    chown -R --reference="$home" "$home/digits"
    chmod -R a+rX "$home/digits"
}

job_state() { on_root scontrol -o show job "$1" | grep -oP '(?<= )JobState=\K[A-Z_]+'; }
job_comment() { on_root scontrol show job "$1" | grep -oP '^ *AdminComment=\K.*' || true; }
is_over() { [[ ! $(job_state "$1") =~ ^(PENDING|CONFIGURING|RUNNING|COMPLETING)$ ]]; }
has_state() { [[ $(job_comment "$1") == *"state=$2"* ]]; }
cancel() {
    on_root scancel "$1"
    wait_for 30 is_over "$1"
}

show_accounting() { # JOB
    wait_for 15 accounting_has "$1" || true
    on_root sacct -X -j "$1" -o 'JobID%6,State%10,AllocTRES%42,AdminComment%90' | quote
}
accounting_has() { on_root sacct -X -n -j "$1" -o AdminComment%200 | grep -q mscale; }

# The ledger of a job on a host; the promise stands in it.
ledger() { cat "$base/nodes/$1/mscale/jobs/$2.json"; } # NODE JOB
promised_cpus() { ledger "$1" "$2" | jq -r '[.steps[].plan.workers[].roles[] | select(.name == "image_loader") | .cpus] | last // "-"'; }
promised_pages() { ledger "$1" "$2" | jq -r '[.plan.pages[] | "N\(.numa)=\(.count)"] | join(" ")'; }
