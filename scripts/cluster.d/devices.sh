# shellcheck shell=bash disable=SC2034,SC2154
# Devices that this machine lacks, for `up --devices`: doubles, no hardware.  Each host gets directories of its own in place of
# /sys/class and /sys/block, with the machine's own links and two RDMA ports and two NVMe drives more, which are files there: nothing
# travels through them and nothing is stored on them.  A test takes one away by changing a host's files in $base/nodes/NODE/sys.
# The NVML double of each host tells two GPUs, by a file of its own, $base/nodes/NODE/gpus.conf, where a test lets one fail.
copy_links() { # DIRECTORY TARGET: directories and links alone, since reading some files of /sys acts
    (cd "$1" && find . \( -type d -o -type l \) -print0 | tar --null --no-recursion -T - -cf -) | tar -xf - -C "$2"
}

write_port() { # SYS DEVICE
    local port=$1/class/infiniband/$2/ports/1
    mkdir -p "$port"
    echo "4: ACTIVE" >"$port/state"
    echo "5: LinkUp" >"$port/phys_state"
    echo "400 Gb/sec (4X NDR)" >"$port/rate"
    echo InfiniBand >"$port/link_layer"
}

write_drive() { # SYS NAME SERIAL
    local drive=$1/block/$2
    mkdir -p "$drive/device" "$drive/queue"
    echo "$3" >"$drive/device/serial"
    echo 1023 >"$drive/queue/nr_requests"
}

write_gpu() { # NUMBER
    cat <<CONF
[gpu]
name = NVIDIA H100 80GB HBM3
uuid = GPU-00000000-0000-0000-0000-00000000000$1
pci = 0000000$1:1B:00.0
minor = $1
memory_mib = 81559
capability = 9.0
cores = 16896
node = 0
mig = no
CONF
}

write_devices() { # NODE
    local sys=$base/nodes/$1/sys
    mkdir -p "$sys/class" "$sys/block"
    copy_links /sys/class "$sys/class"
    copy_links /sys/block "$sys/block"
    write_port "$sys" mlx5_0
    write_port "$sys" mlx5_1
    write_drive "$sys" nvme0n1 DOUBLE0
    write_drive "$sys" nvme1n1 DOUBLE1
    { echo "driver = 570.00"; write_gpu 0; write_gpu 1; } >"$base/nodes/$1/gpus.conf"
}

write_all_devices() {
    local node
    ((with_devices)) || return 0
    for node in $(node_names); do write_devices "$node"; done
    say "the devices of these hosts are doubles: RDMA ports and NVMe drives are files, GPUs are an NVML library that reads a file"
}
