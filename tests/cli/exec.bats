#!/usr/bin/env bats
# mscale exec: a role's CPUs, found in the environment that a task of a job has.
load common

setup() {
    use_shipped_profiles
    first=$(grep -oP '^Cpus_allowed_list:\s*\K[0-9]+' /proc/self/status)
    export MSCALE_ROLES=loader,image_loader MSCALE_ROLE_IMAGE_LOADER_CPUS=$first
}

@test "the command runs on the role's CPUs and knows its role" {
    run --separate-stderr mscale exec --role image_loader -- bash -c 'grep Cpus_allowed_list /proc/self/status; echo $MSCALE_ROLE'
    [ "$status" -eq 0 ]
    expect "$output" $'Cpus_allowed_list:\t'"$first"$'\nimage_loader'
}

@test "a worker takes its own place by LOCAL_RANK" {
    export MSCALE_WORKER_1_ROLE_LOADER_CPUS=$first MSCALE_WORKER_0_ROLE_LOADER_CPUS=4095 LOCAL_RANK=1
    run --separate-stderr mscale exec --role loader -- true
    [ "$status" -eq 0 ]
}

@test "a worker that the contract doesn't know gets no other one's place" {
    export MSCALE_ROLE_LOADER_CPUS=$first MSCALE_WORKER_0_ROLE_LOADER_CPUS=$first MSCALE_WORKER_1_ROLE_LOADER_CPUS=$first
    for rank in 2 -1 x; do
        LOCAL_RANK=$rank run mscale exec --role loader -- true
        [ "$status" -eq 2 ]
        expect "$output" "*LOCAL_RANK $rank is no worker of the contract*"
    done
}

@test "a running process is moved by its number" {
    sleep 60 3>&- &
    run --separate-stderr mscale exec --role image_loader --pid $!
    found=$(grep -oP '^Cpus_allowed_list:\s*\K.*' /proc/$!/status)
    kill $!
    [ "$status" -eq 0 ]
    expect "$found" "$first"
}

@test "a role that the contract doesn't have is named with those it has" {
    run mscale exec --role patch_embed -- true
    [ "$status" -eq 2 ]
    expect "$output" "*its roles are: loader,image_loader*"
}

@test "outside a job it says so" {
    unset MSCALE_ROLES
    run mscale exec --role loader -- true
    [ "$status" -eq 2 ]
    expect "$output" "*runs under no contract*"
}

@test "the status of the command is the status of exec" {
    run mscale exec --role image_loader -- bash -c 'exit 7'
    [ "$status" -eq 7 ]
}

@test "a program that isn't there ends as in a shell" {
    run -127 --separate-stderr mscale exec --role image_loader -- nosuchprog
    [ "$status" -eq 127 ]
    expect "$stderr" "*nosuchprog: not found*"
    run --separate-stderr mscale exec --role image_loader -- /etc/passwd
    [ "$status" -eq 126 ]
}
