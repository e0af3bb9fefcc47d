#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2154
# PID 1 of a host: host.sh BASE NODE.  Sets its mounts up, starts the host's services once it is on the network, reaps orphans.
set -u
MSCALE_CLUSTER_BASE=$1
node=$2
source "$MSCALE_CLUSTER_BASE/run/settings.sh"

hostname "$node"
for file in passwd group hosts; do mount --bind "$etc/$file" "/etc/$file"; done
[[ -d /etc/slurm ]] && mount --bind "$etc" /etc/slurm
mount --bind "$base/nodes/$node/mscale.conf" "$etc/mscale/mscale.conf"
for part in class block; do # doubles of devices (devices.sh)
    [[ ! -d $base/nodes/$node/sys/$part ]] || mount --bind "$base/nodes/$node/sys/$part" "/sys/$part"
done
for file in "$base"/plugins/libnvidia-ml*.conf; do
    [[ ! -f $file || ! -f $base/nodes/$node/gpus.conf ]] || mount --bind "$base/nodes/$node/gpus.conf" "$file"
done
mount -t tmpfs -o size=1g,mode=1777 tmpfs /dev/shm
if [[ $node == ctl ]]; then
    # The database lives in memory: it is quick, and it is gone with the controller.
    mkdir -p "$base/mysql"
    mount -t tmpfs -o size=1g,mode=0755 tmpfs "$base/mysql"
fi

is_plugged() { [[ $node == ctl || -e /proc/sys/net/ipv4/conf/eth0 ]] && ip -4 addr | grep -q "$(address_of "$node")/"; }
wait_for 10 is_plugged || die "$node was not plugged into the network"
bash "$base/run/service.sh" "$base" "$node" start-all

trap : TERM INT HUP
while :; do
    sleep infinity &
    wait $!
done
