# shellcheck shell=bash disable=SC2034,SC2154
# Before the cluster: what is needed, what is missing, the packages, the build.
begin_run() {
    SECONDS=0
    trap 'leave $?' EXIT
    trap 'exit 130' INT TERM
}

tell_needs() {
    printf '%smscale quick start%s\n' "$bold" "$plain"
    tell "Builds mscale, brings up a real Slurm of four nodes on this machine, trains a small model under a contract"
    tell "and shows from the kernel's side that the contract is kept, broken and refused."
    tell "needs    Debian 12, root, the right to make namespaces, veth links and bridges; 4 GiB of disk, 2 GiB of memory"
    tell "takes    five to ten minutes on two cores, once packages are fetched"
    tell "changes  this tree ($(basename "$build")/, configure), /tmp/mscale-quickstart, 128 MiB of huge pages; all but this tree is given back"
    ((EUID == 0)) || fail "not root: run it as root"
    type -P apt-get >/dev/null || fail "no apt-get here: this script installs Debian packages; see README.md for a build by hand"
    require_namespaces
    (($(df --output=avail -k "$source_dir" | tail -1) > 4 * 1024 * 1024)) || fail "less than 4 GiB free in $source_dir"
}

ask_and_install() {
    local missing answer
    mapfile -t missing < <(missing_packages "${build_packages[@]}" "${cluster_packages[@]}" "${example_packages[@]}")
    ((${#missing[@]})) || return 0
    title "Packages of Debian"
    tell "missing: ${missing[*]}"
    describe_installation "${missing[@]}" | quote
    if ((yes == 0)); then
        [[ -t 0 ]] || fail "packages are missing and nobody is there to ask: run with --yes"
        read -r -p "   Install them? [y/N] " answer
        [[ $answer == [yY]* ]] || fail "nothing was installed"
    fi
    install_packages "${missing[@]}" >>"$output" 2>&1 || fail "apt-get failed; see $output"
    tell "installed; no service was started"
}

build_parts() {
    title "Build"
    { bootstrap "$source_dir" && configure_tree "$source_dir" "$build" -O0 --enable-unity; } >>"$output" 2>&1 || fail "configure failed; see $output"
    make_tree "$build" all >"$build/make.log" 2>&1 &
    watch_build $!
    sed -n '/^ *mscale [0-9]/,/^ *sanitizers/p' "$build/config.log" | head -8 | quote
}

watch_build() { # PID of make
    local total made
    total=$(make -C "$build" -n all 2>/dev/null | grep -cE '(CXX|CXXLD)' || true)
    while kill -0 "$1" 2>/dev/null; do
        made=$(grep -cE '^  CXX' "$build/make.log" || true)
        [[ ! -t 1 ]] || printf '\r   %s of about %s files compiled' "$made" "$total"
        sleep 1
    done
    wait "$1" || { tail -5 "$build/make.log" | quote; fail "make failed; see $build/make.log"; }
    [[ ! -t 1 ]] || printf '\r\e[K'
    tell "$(grep -cE '^  CXX ' "$build/make.log" || true) files compiled in $(basename "$build")/"
}

bring_up() {
    title "A real Slurm: slurmctld, slurmdbd on MariaDB, munge and four slurmd, each host in namespaces of its own"
    pages_before=$(pages_total) mounts_before=$(wc -l </proc/mounts)
    # What requeued jobs may leave in a node's memory is kept from Slurm, which must count memory for that.
    "$source_dir/scripts/cluster" up --build "$build" --nodes 4 --pages 64 --mscale-conf recovery.held_memory=256MiB \
        --node-conf MemSpecLimit=256 --slurm-conf SelectTypeParameters=CR_Core_Memory --slurm-conf DefMemPerCPU=128 \
        >>"$output" 2>&1 ||
        fail "the cluster did not start; see $output"
    copy_example
    on_root sinfo -N -o '%8N %8T %18G %c cores' | quote
    tell "The GPU of each node is a double: this machine's own $(nproc) cores and its huge pages are real, the GPU's inventory and slices are not."
}
