# shellcheck shell=bash disable=SC2054,SC2154
# The machine that QEMU makes: two sockets with two cores and 2 GiB each, and on each a PCIe root complex of its own.

# Sets `machine`, the arguments of QEMU.
describe_machine() { # WORK SHARE
    machine=(-machine q35 -accel tcg,thread=multi -cpu max -nodefaults -no-user-config -display none -no-reboot)
    machine+=(-smp 4,sockets=2,cores=2,threads=1 -m 4G)
    machine+=(-kernel "$kernel_image" -initrd "$initramfs" -append "$(kernel_line)")
    machine+=(-chardev "file,id=console,path=$1/console" -serial chardev:console -device virtio-rng-pci)
    machine+=(-chardev "file,id=output,path=$1/output" -device virtio-serial-pci -device virtserialport,chardev=output,name=output)
    share_directory root / readonly=on,multidevs=remap
    share_directory modules "$kernel_tree/lib/modules" readonly=on
    share_directory share "$2" readonly=off
    add_socket 0 64 "$1"
    add_socket 1 128 "$1"
    machine+=(-numa dist,src=0,dst=1,val=21)
}

# The emulated clock is right enough, and what mitigates a processor's faults would only slow down one that has none.
kernel_line() {
    echo "console=ttyS0 quiet loglevel=4 panic=-1 mitigations=off tsc=reliable no_timer_check random.trust_cpu=on" \
        "mscale_guest=$guest_dir"
}

share_directory() { # TAG PATH OPTIONS
    machine+=(-fsdev "local,id=$1,path=$2,security_model=none,$3" -device "virtio-9p-pci,fsdev=$1,mount_tag=$1")
}

# Memory and processors of a NUMA node, its root complex, and on that an NVMe drive.
add_socket() { # NODE BUS WORK
    truncate -s 256M "$3/disk$1"
    machine+=(-object "memory-backend-ram,id=memory$1,size=2G")
    machine+=(-numa "node,nodeid=$1,cpus=$(($1 * 2))-$(($1 * 2 + 1)),memdev=memory$1")
    machine+=(-device "pxb-pcie,id=root$1,bus_nr=$2,numa_node=$1,bus=pcie.0")
    machine+=(-device "pcie-root-port,id=port$1,bus=root$1,chassis=$(($1 + 1)),slot=1")
    machine+=(-drive "file=$3/disk$1,if=none,id=drive$1,format=raw")
    machine+=(-device "nvme,id=nvme$1,serial=GUEST$1,bus=port$1,max_ioqpairs=4" -device "nvme-ns,drive=drive$1,bus=nvme$1")
}
