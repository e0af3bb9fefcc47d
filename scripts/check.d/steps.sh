# shellcheck shell=bash disable=SC2154
# The steps of scripts/check.
build_tree() { # DIRECTORY [OPTIONS...]
    local tree=$1
    shift
    configure_tree "$source_dir" "$tree" "-O1" --enable-unity "$@" && make_tree "$tree" all
}

build_without_warnings() { # DIRECTORY [OPTIONS...]
    build_tree "$@" 2>&1 | tee "$logs/compiler"
    ((PIPESTATUS[0] == 0)) && ! grep -E 'warning:' "$logs/compiler"
}

unit_programs() { find "$1/tests/unit" -maxdepth 2 -type f -name 'unit_*' -perm -u+x ! -name '*.*' | sort; }

build_unit_tests() { # DIRECTORY
    make_tree "$1" unit-tests
}

build_test_parts() { # DIRECTORY
    make_tree "$1" test-parts
}

list_replays() { (cd "$source_dir/tests/fuzz/corpus" && printf 'tests/fuzz/replay_%s\n' *); }

# Every unit test program of a tree, each with Check's own summary; some at once, since they often wait.
run_units() { # DIRECTORY
    local logs_of=$1/unit-logs status
    export srcdir=$source_dir top_builddir=$1 ASAN_OPTIONS=detect_leaks=1
    rm -rf "$logs_of" && mkdir "$logs_of"
    # shellcheck disable=SC2016 # for the shell of xargs
    unit_programs "$1" | (cd "$1" && xargs -P 3 -I{} bash -c '{ echo "== ${1##*/}"; "$1"; } >"$2/${1##*/}" 2>&1' bash {} "$logs_of")
    status=$?
    cat "$logs_of"/unit_*
    return "$status"
}

# Instrumented programs take several times as long, and other tests go first.
run_sanitized_units() { CK_TIMEOUT_MULTIPLIER=10 run_units "$tree-sanitized"; }

# By clang, which took about half of gcc's time for instrumented files that were measured, and warns of other things.
build_sanitized() {
    local to=$tree-sanitized
    build_with=clang++-16 configure_tree "$source_dir" "$to" -O0 --enable-unity --enable-sanitizers=address,undefined &&
        build_unit_tests "$to"
}

# Debian's python3: another one on PATH would not see Debian's jsonschema.
check_machine_schema() { (cd "$tree" && srcdir=$source_dir /usr/bin/python3 "$source_dir/tests/unit/hal/machine_schema.py"); }

lint_shell() {
    shellcheck -x "$source_dir"/scripts/{cluster,check,soak,quickstart} "$source_dir"/scripts/*.d/*.sh "$source_dir"/tests/*.sh \
        "$source_dir"/tests/guest/{run,boot,*.sh}
}

lint_manuals() {
    local pages=("$source_dir"/man/*.[1-8])
    mandoc -T lint -W warning "${pages[@]}"
}

run_python_tests() {
    make_tree "$tree" tests/doubles/keeper/keeper examples/heat && top_builddir=$tree "$source_dir/tests/python/run"
}

run_command_tests() { # [KILLS at random moments]
    export RANDOM_KILLS=${1:-$((storm_kills / 10))} BUILD_DIR=$tree builddir=$tree srcdir=$source_dir top_builddir=$tree
    PATH=$tree:$PATH bats --tap "$source_dir"/tests/cli/*.bats
}

run_cluster_tests() { # FILES...
    export BUILD_DIR=$tree MSCALE_CLUSTER=check MSCALE_CLUSTER_SHARED=1
    bats --tap --timing "$@"
}

# On a cluster of their own, since they wait for minutes; it takes no huge pages: the pool is one for all.
run_slow_tests() {
    export BUILD_DIR=$tree MSCALE_CLUSTER=check-slow
    bats --tap --timing "$source_dir"/tests/cluster/slow/*.bats
}

# Two files at once, each on a cluster of its own, since they mostly wait; those take no huge pages: the pool is one for all.
# Alone runs the one whose jobs have cgroups, which another cluster's mscaled would take for its own jobs': nodes and jobs are
# called alike.
run_loss_tests() { # [NAMES, else all]
    local logs_of=$logs/losses status=0
    export BUILD_DIR=$tree
    rm -rf "$logs_of" && mkdir -p "$logs_of"
    list_loss_tests "$@" | grep -v /charge.bats | run_losses 2 "$logs_of" || status=1
    list_loss_tests "$@" | grep /charge.bats | run_losses 1 "$logs_of" || status=1
    cat "$logs_of"/*.tap
    return "$status"
}

run_losses() { # AT-ONCE LOGS, paths from stdin
    # shellcheck disable=SC2016 # for the shell of xargs
    xargs -r -P "$1" --process-slot-var=slot -I{} bash -c \
        'name=$(basename "$1" .bats); MSCALE_CLUSTER=check-losses$slot bats --tap --timing "$1" >"$2/$name.tap" 2>&1' bash {} "$2"
}

list_loss_tests() {
    (($# > 0)) || set -- "$source_dir"/tests/cluster/loss/*.bats
    local name
    for name in "$@"; do echo "$source_dir/tests/cluster/loss/$(basename "$name" .bats).bats"; done
}

# On an emulated machine, which is slow: one start for all of them.
run_guest_tests() {
    export BUILD_DIR=$tree srcdir=$source_dir MSCALE_GUEST_LIMIT=900
    "$source_dir/tests/guest/run" bats --tap "$source_dir"/tests/guest/*.bats
}

stop_check_cluster() {
    local name status=0
    for name in check check-slow check-losses0 check-losses1; do
        MSCALE_CLUSTER=$name "$source_dir/scripts/cluster" down && [[ ! -e /tmp/mscale-$name ]] || status=1
    done
    ((status == 0)) && ! pgrep -f "/tmp/mscale-check"
}

replay_corpus() {
    local replay
    for replay in $(list_replays); do srcdir=$source_dir "$tree/$replay" || return; done
}

install_into_directory() {
    rm -rf "$tree/staged"
    make_tree "$tree" install DESTDIR="$tree/staged" && find "$tree/staged" -type f | sort
}

make_distribution() {
    make_tree "$tree" distcheck DISTCHECK_CONFIGURE_FLAGS="CXX='$(with_ccache)' CXXFLAGS=-O0"
}
