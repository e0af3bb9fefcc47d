# Where job_submit isn't loaded, nobody vouches for a contract: it isn't believed on the node, whoever wrote the variable.
load common
load spank

setup_file() { start_spank_cluster --without job_submit --without mscaled; }
teardown_file() { stop_cluster; }
teardown() { expect_nothing_left; }

contract=role.loader.cores=1

# A job of USER with these job-control variables, sent without any plugin; `id` and `text` as after run_batch.
send_as() { # USER NAME=VALUE...
    local user=$1
    shift
    id=$(as_"$user" "${BUILD_DIR:-$source_dir/build}/tests/doubles/api_client" "$@")
    wait_for_job "$id"
    text=$(<"$base/home/$user/$id.txt")
}

# A credential over a payload that vouches for UID, made by USER; root's are believed as slurmctld's.
credential() { # USER UID
    printf '{"mscale_verified":1,"uid":%d,"mode":"enforce","tasks":1,"contract":"%s"}' "$2" $contract |
        as_"$1" munge -S "$base/munge/munge.sock"
}

@test "a contract of the option is refused in the task, and the user learns why" {
    run_line 'echo the script ran' --mscale-contract=$contract
    expect_refused_on_node "MSC-N003" "job_submit/mscale loaded by slurmctld"
    for command in srun "salloc srun"; do
        # shellcheck disable=SC2086
        set -- $command
        run as_alice "$1" --mscale-contract=$contract "${@:2}" echo the task ran
        [ "$status" != 0 ]
        expect_text "$output" "MSC-N003"
        [[ $output != *"the task ran"* ]]
    done
}

@test "a forged text is no verified one" {
    send_as alice MSCALE_VERIFIED=$contract
    expect_refused_on_node "MSC-N003"
}

@test "a credential that the user made himself vouches for nothing" {
    send_as alice "MSCALE_VERIFIED=$(credential alice 60101)"
    expect_refused_on_node "MSC-N003"
}

@test "a credential that slurmctld made for another user vouches for nothing" {
    send_as bob "MSCALE_VERIFIED=$(credential root 60101)"
    expect_refused_on_node "MSC-N003"
}

@test "a credential of slurmctld for this user is believed" {
    send_as alice "MSCALE_VERIFIED=$(credential root 60101)"
    [ "$(job_state "$id")" = COMPLETED ]
    expect_text "$text" "the script ran"
}

@test "a credential of slurmctld with one byte changed vouches for nothing" {
    whole=$(credential root 60101)
    middle=$((${#whole} / 2))
    letter=${whole:middle:1}
    send_as alice "MSCALE_VERIFIED=${whole:0:middle}$([[ $letter == A ]] && echo B || echo A)${whole:middle+1}"
    expect_refused_on_node "MSC-N003" "Invalid credential"
}

@test "a contract from a request variable alone is refused in the task" {
    send_as alice MSCALE_CONTRACT=$contract
    expect_refused_on_node "MSC-N003"
}

@test "a forged SPANK_ or LD_PRELOAD variable reaches mscale-node under no other name" {
    send_as alice MSCALE_CONTRACT=$contract LD_PRELOAD=/tmp/none.so SPANK_MSCALE_VERIFIED=x PATH=/tmp BASH_ENV=/tmp/none.sh
    expect_refused_on_node "MSC-N003"
    seen=$(awk -v job="$id" '$1 == job && $2 == "apply"' "$base/log/node_environment")
    [[ $seen == *SPANK_MSCALE_CONTRACT* ]]
    for name in ${seen#* * }; do # PWD, SHLVL, OLDPWD and _ are the shell's that writes this list
        [[ $name =~ ^(PATH|SLURMD_NODENAME|(SLURM|SPANK_MSCALE|MSCALE)_.*|PWD|OLDPWD|SHLVL|_)$ ]] || { echo "$name reached it"; return 1; }
    done
}

@test "a batch script that sets our variables changes nothing for its steps" {
    run_line 'export SLURM_SPANK_MSCALE_VERIFIED=x MSCALE_ROLES=forged MSCALE_CONTRACT=x; srun env | grep MSCALE_; true'
    [ "$(job_state "$id")" = COMPLETED ]
    [[ $text != *forged* && $text != *MSCALE_CONTRACT* ]]
}
