# shellcheck shell=bash disable=SC2034
# Debian's kernel for the guest: its package is fetched and unpacked, never installed, and kept for the next time.
guest_cache=${MSCALE_GUEST_CACHE:-/var/cache/mscale-guest}
kernel_package=linux-image-amd64 # depends on the newest one

check_guest_tools() {
    local tool missing=()
    for tool in qemu-system-x86_64 busybox cpio modprobe depmod xz; do
        type -P "$tool" >/dev/null || missing+=("$tool")
    done
    ((${#missing[@]} == 0)) && return
    echo "guest: not installed: ${missing[*]} (guest_packages in scripts/setup.d/packages.sh)" >&2
    return 1
}

# Sets `kernel_version`, `kernel_image` and `kernel_tree`, the directory above lib/modules.
find_kernel() {
    kept_kernel || fetch_kernel && kept_kernel
}

kept_kernel() {
    kernel_image=$(printf '%s\n' "$guest_cache"/linux-image-*/boot/image-* | sort -V | tail -n 1)
    [[ -e $kernel_image ]] || return
    kernel_tree=${kernel_image%/boot/*} kernel_version=${kernel_image##*/image-}
}

fetch_kernel() {
    local package fetched
    apt-get -q update >&2
    package=$(apt-cache depends "$kernel_package" 2>/dev/null | awk '$1 == "Depends:" && $2 ~ /^linux-image-/ { print $2; exit }')
    [[ -n $package ]] || { echo "guest: apt knows no $kernel_package" >&2; return 1; }
    mkdir -p "$guest_cache" && fetched=$(mktemp -d "$guest_cache/fetch.XXXXXX") || return
    (cd "$fetched" && apt-get -q download "$package" && unpack_kernel "$PWD"/*.deb "$fetched/tree" &&
        mv -T "$fetched/tree" "$guest_cache/$package") >&2
    local status=$?
    rm -rf "$fetched"
    return "$status"
}

# Only what the guest reads of it; the image comes last, by which a whole tree is known.
unpack_kernel() { # PACKAGE DIRECTORY
    local version
    mkdir "$2" && dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" --wildcards './lib/modules/*' './boot/vmlinuz-*' || return
    version=$(basename "$2"/lib/modules/*)
    depmod -b "$2" "$version" && unpack_image "$2/boot/vmlinuz-$version" "$2/boot/image-$version"
}

# The image unpacked by this machine: QEMU starts it at once, where an emulated processor unpacks it for seconds.
unpack_image() { # IMAGE FILE
    local offset
    offset=$(LC_ALL=C grep -obUaP -m 1 '\xFD7zXZ\x00' "$1" | head -n 1 | cut -d: -f1)
    if [[ -n $offset ]] && tail -c "+$((offset + 1))" "$1" | xz -dc --single-stream >"$2" 2>/dev/null; then return; fi
    cp "$1" "$2"
}
