# shellcheck shell=bash disable=SC2034
# The Debian packages of each use; sourced by scripts/quickstart and scripts/check.
build_packages=(autoconf automake libtool autoconf-archive pkg-config g++ make libslurm-dev libmunge-dev libhwloc-dev
    libinih-dev nlohmann-json3-dev libfmt-dev libexpected-dev libcli11-dev libisal-dev libsodium-dev liburing-dev
    librdmacm-dev)
cluster_packages=(slurmctld slurmd slurmdbd slurm-client slurm-wlm-basic-plugins slurm-wlm-mysql-plugin munge
    mariadb-server-core mariadb-client-core iproute2 procps jq)
guest_packages=(qemu-system-x86 busybox-static cpio kmod xz-utils rdma-core ibverbs-providers) # tests/guest fetches a kernel
example_packages=(python3-torch python3-sklearn)
test_packages=(check bats mandoc universal-ctags shellcheck ccache clang-16 libclang-rt-16-dev strace gdb python3-jsonschema fio)

missing_packages() { # PACKAGE...
    local package
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
    done
}

# Installs without starting a service: the cluster brings its own up, in its own namespaces.
install_packages() { # PACKAGE...
    local policy=/usr/sbin/policy-rc.d ours=0 status=0
    if [[ ! -e $policy ]]; then
        printf '#!/bin/sh\nexit 101\n' >"$policy"
        chmod 0755 "$policy"
        ours=1
    fi
    { apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "$@"; } || status=$?
    ((ours == 0)) || rm -f "$policy"
    return "$status"
}

# Bytes to fetch and to unpack, as apt counts them.
describe_installation() { # PACKAGE...
    apt-get install --no-install-recommends --assume-no "$@" 2>/dev/null | grep -E '^(Need to get|After this operation)' || true
}
