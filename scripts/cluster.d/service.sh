#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2154
# The services of a host, run inside its namespaces: service.sh BASE NODE start-all | start PROGRAM | stop PROGRAM [SIGNAL]
set -u
MSCALE_CLUSTER_BASE=$1
node=$2
source "$MSCALE_CLUSTER_BASE/run/settings.sh"
export SLURM_CONF=$etc/slurm.conf MSCALE_CONF=$etc/mscale/mscale.conf
export PATH=$base/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# A service outlives whoever started it again: nothing that the caller has open may stay open in it.
launch() {
    (
        for descriptor in /proc/self/fd/*; do
            descriptor=${descriptor##*/}
            ((descriptor <= 2)) || eval "exec $descriptor>&-"
        done
        exec setsid "$@" </dev/null >>"$log/$node.${1##*/}.out" 2>&1
    ) &
}
answers_on() { (exec 3<>"/dev/tcp/10.77.0.1/$1") 2>/dev/null; }

start_munged() {
    local own=$base/munge
    [[ -s $own/munge.key ]] || head -c 1024 /dev/urandom >"$own/munge.key"
    chown -R munge:munge "$own"
    chmod 0400 "$own/munge.key"
    setpriv --reuid munge --regid munge --clear-groups munged --force --key-file="$own/munge.key" --socket="$munge_socket" \
        --pid-file="$own/munged.pid" --log-file="$own/munged.log" --seed-file="$own/munged.seed" 2>>"$log/munged.out"
}

# No grant tables: the namespace holds nobody but slurmdbd.
start_mariadbd() {
    chown slurm:slurm "$base/mysql"
    launch mariadbd --no-defaults --user=slurm --datadir="$base/mysql" --skip-grant-tables --socket="$base/mysql/sock" \
        --bind-address=127.0.0.1 --innodb-buffer-pool-size=64M --innodb-log-file-size=16M --innodb-flush-log-at-trx-commit=0 \
        --innodb-lock-wait-timeout=900 --pid-file="$base/mysql/pid"
    wait_for 30 mariadb --no-defaults --socket="$base/mysql/sock" --execute "create database if not exists slurm_acct_db"
}

start_slurmdbd() {
    launch slurmdbd -D
    wait_for 30 answers_on 6819
}

start_slurmctld() {
    launch slurmctld -D
    wait_for 30 answers_on 6817
}

start_slurmd() { launch slurmd -D -N "$node"; }

start_mscaled() {
    [[ ! -x $base/bin/mscaled ]] || launch "$base/bin/mscaled" --foreground --config "$MSCALE_CONF"
}

start_all() {
    local services=(slurmd mscaled) service
    [[ $node == ctl ]] && services=(munged mariadbd slurmdbd slurmctld mscaled)
    for service in "${services[@]}"; do
        "start_$service" || die "$service did not start on $node; see $log/$node.$service.out"
    done
}

stop_one() { # PROGRAM SIGNAL
    local pids
    mapfile -t pids < <(pgrep -x "$1")
    ((${#pids[@]})) || return 0
    kill "-$2" "${pids[@]}"
    [[ $2 == STOP || $2 == CONT ]] || wait_for 20 has_gone "$1" || die "$1 on $node does not end"
}
has_gone() { ! pgrep -x "$1"; }

case $3 in
start-all) start_all ;;
start) "start_$4" ;;
stop) stop_one "$4" "${5:-KILL}" ;;
esac
