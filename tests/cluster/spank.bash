# For spank*.bats: a cluster whose mscale-node is tests/doubles/mscale-node.  It notes each call and the text that it was
# given, breaks where a test says so, and else is mscale-node itself.
notes=$base/log/node_program

start_spank_cluster() { # options of `scripts/cluster up`
    # A link can be taken away by a test; with mscaled, which drains a node that lacks the program, it must be there first.
    local program=$source_dir/tests/doubles/mscale-node
    [[ " $* " == *" --without mscaled "* ]] && program=$base/log/mscale-node
    start_cluster --nodes 3 --mscale-conf "paths.node_program=$program" --mscale-conf node.apply_deadline=3s "$@"
    need_part mscale-node
    [[ " $* " == *" --without spank "* ]] || need_part spank_mscale
    ln -sfn "$source_dir/tests/doubles/mscale-node" "$base/log/mscale-node"
    touch "$notes"
}

# What mscale-node does until the end of the test: behave apply crash
behave() { echo "$*" >>"$base/log/behaviour"; } # VERB FAULT [NODE]
behave_well() {
    rm -f "$base/log/behaviour"
    ln -sfn "$source_dir/tests/doubles/mscale-node" "$base/log/mscale-node"
}

# The verified contract that the prologs of a job were given, when exactly NODES nodes were and all the same; else what was.
contract_of() { # JOB [NODES]
    local given texts
    given=$(awk -v job="$1" '$2 == job && $3 == "apply"' "$notes" | sort -u)
    texts=$(cut -d' ' -f4- <<<"$given" | sort -u)
    if [[ -n $given && $(wc -l <<<"$given") == "${2:-1}" && $(wc -l <<<"$texts") == 1 && $texts != - ]]; then
        echo "$texts"
    else
        printf 'not one verified contract on %s node(s): %s\n' "${2:-1}" "$given"
    fi
}
# `sbatch --wait` returns while a job may still be completing.
expect_completed() { # JOB...
    local job
    for job in "$@"; do
        wait_for_job "$job" 20
        [[ $(job_state "$job") == COMPLETED ]] || { echo "job $job is $(job_state "$job") $(job_exit_code "$job")"; return 1; }
    done
}
calls_of() { awk -v job="$1" '$2 == job' "$notes" | wc -l; }

# Runs a batch script from stdin as alice and waits for it: `id` is its number, `text` its output.
run_batch() { # SBATCH-ARGS...
    local script
    script=$(user_file alice script.sh)
    id=$(submit_as alice -o "$base/home/alice/%j.txt" "$@" "$script")
    wait_for_job "$id"
    wait_until '[[ -e $base/home/alice/$id.txt ]]' 10
    text=$(<"$base/home/alice/$id.txt")
}
run_line() { # LINE SBATCH-ARGS...
    local line=$1
    shift
    run_batch "$@" <<<"#!/bin/bash"$'\n'"$line"
}

# The number of the job that was submitted last; accounting would tell it late.
newest_job() { as_root scontrol -o show job | grep -oP '^JobId=\K[0-9]+' | sort -n | tail -1; }

# The job of the last run_batch failed, said these texts, and left every node as it was.
expect_refused_on_node() { # TEXT...
    [[ $(job_state "$id") == FAILED && $(job_exit_code "$id") == 1:0 ]] ||
        { echo "job $id is $(job_state "$id") $(job_exit_code "$id")"; return 1; }
    expect_text "$text" "the contract of job $id isn't honoured" "$@"
    [[ $text != *"the script ran"* ]]
    expect_all_idle
}
