# shellcheck shell=bash disable=SC2034,SC2154
# Every configuration file of the cluster, written below $etc; Debian's /etc/slurm is replaced by it in each host's mount namespace.
system_plugins() { dirname "$(find /usr/lib /usr/lib64 -name select_cons_tres.so -print -quit 2>/dev/null)"; }

# The lines on stdin; where a key stands twice, the later line is kept.
keep_latest() {
    tac | awk -F= '{ key = tolower($1) } key ~ /^(nodename|partitionname|downnodes)$/ || !seen[key]++' | tac
}

write_slurm_conf() {
    local hosts="n[1-$node_count]" gres=()
    ((slice_count > 0)) && gres+=(sm)
    ((whole_gpu)) && gres+=(gpu)
    {
        cat <<CONF
ClusterName=$name
SlurmctldHost=ctl(10.77.0.1)
SlurmUser=slurm
AuthType=auth/munge
AuthInfo=socket=$munge_socket
StateSaveLocation=$base/state
SlurmdSpoolDir=$base/nodes/%n/spool
SlurmctldPidFile=$base/run/slurmctld.pid
SlurmdPidFile=$base/nodes/%n/slurmd.pid
SlurmctldLogFile=$log/slurmctld.log
SlurmdLogFile=$log/%n.slurmd.log
PluginDir=$base/plugins:$(system_plugins)
PlugStackConfig=$etc/plugstack.conf
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
JobAcctGatherType=jobacct_gather/linux
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=10.77.0.1
AccountingStoragePass=$munge_socket
PrologFlags=Alloc
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
SlurmdTimeout=20
KillWait=3
DebugFlags=NO_CONF_HASH
SlurmdParameters=config_overrides
CONF
        ((${#gres[@]})) && echo "GresTypes=$(IFS=,; echo "${gres[*]}")"
        ((slice_count > 0)) && echo "AccountingStorageTRES=gres/sm"
        has_part job_submit_mscale && echo "JobSubmitPlugins=mscale"
        ((switch_count > 0)) && echo "TopologyPlugin=topology/tree"
        printf '%s\n' "${slurm_lines[@]}"
        echo "NodeName=$hosts NodeAddr=10.77.0.[11-$((10 + node_count))] $(node_words)"
        echo "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
    } | keep_latest >"$etc/slurm.conf"
}

# The machine's own processors: a core that is promised must exist.
node_words() {
    local gres=() words
    ((slice_count > 0)) && gres+=("sm:$gpu_type:$slice_count")
    ((whole_gpu)) && gres+=("gpu:$gpu_type:1")
    words=$(slurmd -C | sed -n '1{s/^NodeName=[^ ]* //;p}')
    ((${#gres[@]})) && words+=" Gres=$(IFS=,; echo "${gres[*]}")"
    echo "$words State=UNKNOWN $node_conf"
}

# One file a slice; a GPU is a character device.
write_gres_conf() {
    local i
    : >"$etc/gres.conf"
    mkdir -p "$base/dev"
    for ((i = 0; i < slice_count; i++)); do : >"$base/dev/gpu0-slice$i"; done
    ((slice_count > 0)) &&
        echo "NodeName=n[1-$node_count] Name=sm Type=$gpu_type File=$base/dev/gpu0-slice[0-$((slice_count - 1))]" >>"$etc/gres.conf"
    ((whole_gpu)) || return 0
    mknod -m 666 "$base/dev/nvidia0" c 1 3 || die "mknod is not permitted here: run without --gpu"
    echo "NodeName=n[1-$node_count] Name=gpu Type=$gpu_type File=$base/dev/nvidia0" >>"$etc/gres.conf"
}

# What the NVML double tells: one H100, of which 16 chunks of 8 SMs can be given away.
write_gpu_double() {
    [[ -n $(nvml_double) ]] || return 0
    local double
    double=$(nvml_double)
    cat >"${double%.so}.conf" <<CONF
driver = 570.00
[gpu]
name = NVIDIA H100 80GB HBM3
uuid = GPU-00000000-0000-0000-0000-000000000001
pci = 00000000:1B:00.0
minor = 0
memory_mib = 81559
capability = 9.0
cores = 16896
node = 0
mig = no
CONF
}

# Hosts beside each other hang on one leaf switch.
write_topology() {
    ((switch_count > 0)) || return 0
    local i size=$((node_count / switch_count))
    for ((i = 1; i <= switch_count; i++)); do
        echo "SwitchName=s$i Nodes=n[$(((i - 1) * size + 1))-$((i == switch_count ? node_count : i * size))]"
    done >"$etc/topology.conf"
    echo "SwitchName=top Switches=s[1-$switch_count]" >>"$etc/topology.conf"
}

write_slurmdbd_conf() {
    cat >"$etc/slurmdbd.conf" <<CONF
AuthType=auth/munge
AuthInfo=socket=$munge_socket
DbdHost=ctl
DbdAddr=10.77.0.1
SlurmUser=slurm
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StorageUser=slurm
StorageLoc=slurm_acct_db
LogFile=$log/slurmdbd.log
PidFile=$base/run/slurmdbd.pid
CONF
    chown slurm "$etc/slurmdbd.conf"
    chmod 0600 "$etc/slurmdbd.conf"
}

write_plugstack_conf() {
    {
        has_part spank_mscale && echo "optional $base/plugins/spank_mscale.so config=$etc/mscale/mscale.conf"
        printf '%s\n' "${plugstack_lines[@]}"
    } >"$etc/plugstack.conf"
}

# SECTION.KEY=VALUE lines on stdin as an INI file; the later of two equal keys is kept.
write_ini() {
    keep_latest | sort -s -t. -k1,1 | awk -F. '{
        split($0, half, "="); n = split(half[1], part, "."); key = part[n]
        section = substr(half[1], 1, length(half[1]) - length(key) - 1)
        if (section != last) printf("%s[%s]\n", (NR > 1 ? "\n" : ""), section)
        print key " = " substr($0, length(half[1]) + 2); last = section
    }'
}

write_mscale_conf() { # NODE
    {
        cat <<CONF
site.mode=enforce
paths.state=$base/nodes/$1/mscale
paths.inventory=$etc/mscale/inventory
paths.profiles=$etc/mscale/profiles
paths.node_program=$base/bin/mscale-node
munge.socket=$munge_socket
daemon.port=6821
hugepages.grow=$([[ $grow == 1 ]] && echo yes || echo no)
CONF
        [[ -n $(nvml_double) ]] && echo "gpu.nvml_library=$(nvml_double)"
        printf '%s\n' "${mscale_keys[@]}"
    } | sed '/^$/d' | write_ini >"$base/nodes/$1/mscale.conf"
}

write_names() {
    local user node
    cp /etc/passwd /etc/group "$etc/"
    for user in "${users[@]}"; do
        echo "$user:x:$(user_id "$user"):$(user_id "$user")::$base/home/$user:/bin/bash" >>"$etc/passwd"
        echo "$user:x:$(user_id "$user"):" >>"$etc/group"
        install -d -m 0755 -o "$(user_id "$user")" -g "$(user_id "$user")" "$base/home/$user"
    done
    echo "127.0.0.1 localhost" >"$etc/hosts"
    for node in ctl $(node_names); do echo "$(address_of "$node") $node" >>"$etc/hosts"; done
}

write_configuration() {
    local node
    mkdir -p "$etc/mscale/inventory" "$etc/mscale/profiles" "$base/"{run,state,munge,home} "$log"
    install -d -o slurm -g slurm "$base/state" "$base/run" "$log"
    printf 'n%d\n' $(seq "$node_count") >"$etc/nodes"
    cp "$here"/../etc/profiles/*.ini "$etc/mscale/profiles/" 2>/dev/null || true
    : >"$etc/mscale/mscale.conf"
    for node in ctl $(node_names); do
        mkdir -p "$base/nodes/$node/"{spool,mscale}
        write_mscale_conf "$node"
    done
    write_names
    write_slurm_conf
    write_gres_conf
    write_gpu_double
    write_topology
    write_slurmdbd_conf
    write_plugstack_conf
    printf '%s\n' "CgroupPlugin=cgroup/v1" "${cgroup_lines[@]}" | keep_latest >"$etc/cgroup.conf"
    cp "$here/cluster.d/"{settings,host,service}.sh "$base/run/"
}
