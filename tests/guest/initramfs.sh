# shellcheck shell=bash disable=SC2154
# The guest's first file system: busybox, `init`, and the modules of what the guest has.
guest_modules=(virtio_pci virtio_console 9p 9pnet_virtio overlay nvme veth rdma_rxe ib_uverbs rdma_ucm)

# Sets `initramfs`; built once for a kernel, an `init` and a list of modules.
find_initramfs() {
    local key
    key=$({ cat "$guest_dir/init"; echo "${guest_modules[@]}"; } | sha256sum | cut -c 1-16)
    initramfs=$kernel_tree/initramfs-$key
    [[ -e $initramfs ]] || build_initramfs "$initramfs"
}

build_initramfs() { # FILE
    local root status
    root=$(mktemp -d) || return
    mkdir -p "$root"/{bin,dev,proc,sys,modules,lower,upper,root} &&
        cp "$(type -P busybox)" "$root/bin/busybox" && cp "$guest_dir/init" "$root/init" && copy_modules "$root/modules" &&
        (cd "$root" && find . | cpio -o -H newc --owner 0:0 --quiet) >"$1.new" && mv "$1.new" "$1"
    status=$?
    rm -rf "$root"
    return "$status"
}

# In the order in which they can be loaded: each after what it needs.
copy_modules() { # DIRECTORY
    local module
    for module in "${guest_modules[@]}"; do
        modprobe -d "$kernel_tree" -S "$kernel_version" --show-depends "$module" || return
    done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' >"$1/paths"
    xargs cp -t "$1" <"$1/paths" && sed -i 's|.*/||' "$1/paths"
}
