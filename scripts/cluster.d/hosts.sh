# shellcheck shell=bash disable=SC2034,SC2154
# A host is a set of namespaces, held by the process with PID 1 in it; it is found by its command line, so nothing is kept in files.
holder_pid() { pgrep -f "^unshare .*/run/host\.sh $base $1\$"; }

host_pid() { # NODE: PID 1 of the host, as seen from here
    local holder
    holder=$(holder_pid "$1") && pgrep -P "$holder"
}

# Runs a command as root in all namespaces of a host.
on_host() { # NODE CMD...
    local pid
    pid=$(host_pid "$1") || die "$1 is not running"
    shift
    nsenter --target "$pid" --mount --uts --ipc --net --pid "$@"
}

power_on() { # NODE
    enter_new_namespaces "$1" </dev/null >>"$log/$1.host.out" 2>&1 &
    wait_for 5 host_pid "$1" || die "$1 did not start; see $log/$1.host.out"
    if [[ $1 == ctl ]]; then make_bridge; else plug_in "$1"; fi
}

# Whatever the caller has open (the pipes of a test runner, a lock) must not stay open in a host that outlives it.
enter_new_namespaces() { # NODE
    local descriptor
    for descriptor in /proc/self/fd/*; do
        descriptor=${descriptor##*/}
        ((descriptor <= 2)) || eval "exec $descriptor>&-"
    done
    exec setsid unshare --net --mount --uts --ipc --pid --fork --mount-proc --kill-child=KILL \
        bash "$base/run/host.sh" "$base" "$1"
}

power_off() { # NODE
    local pid
    pid=$(host_pid "$1") || return 0
    kill -KILL "$pid"
    wait_for 10 is_off "$1" || die "$1 does not go away"
}
is_off() { ! holder_pid "$1"; }

running_hosts() { pgrep -a -f "^unshare .*/run/host\.sh $base " | awk '{print $NF}'; }

service_on() { # NODE ACTION PROGRAM [SIGNAL]
    local node=$1
    shift
    on_host "$node" bash "$base/run/service.sh" "$base" "$node" "$@"
}

# The environment of an administrator or a user on the cluster, and nothing of the caller's but these names.
cluster_environment() { # HOME USER
    local key
    environment=(env -i "HOME=$1" "USER=$2" "LOGNAME=$2" "SHELL=/bin/bash" "TERM=${TERM:-dumb}" "LANG=C.UTF-8"
        "PATH=$base/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin" "SLURM_CONF=$etc/slurm.conf" "MSCALE_CONF=$etc/mscale/mscale.conf"
        "LD_LIBRARY_PATH=$base/lib") # libmscale.so.0, where Debian's own directory would have it
    for key in MSCALE_CONTRACT COLUMNS; do
        [[ -z ${!key:-} ]] || environment+=("$key=${!key}")
    done
}
