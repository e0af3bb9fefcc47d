# What is committed of the job whose number is in $job.
committed_step() { cluster exec "$1" mscale snapshot list --json | jq ".nodes[0].records[] | select(.job == $job) | .step"; } # NODE
