# shellcheck shell=bash
# Configure and make in a build directory; sourced by scripts/quickstart and scripts/check.
with_ccache() { if type -P ccache >/dev/null; then echo "ccache ${build_with:-g++}"; else echo "${build_with:-g++}"; fi; }

bootstrap() { # SOURCE
    [[ -x $1/configure && $1/configure -nt $1/configure.ac ]] || (cd "$1" && autoreconf -i)
}

configure_tree() { # SOURCE BUILD CXXFLAGS [OPTIONS...]
    local from=$1 to=$2 flags=$3
    shift 3
    mkdir -p "$to"
    (cd "$to" && "$from/configure" CXX="$(with_ccache)" CXXFLAGS="$flags" --sysconfdir=/etc "$@")
}

make_tree() { # BUILD [TARGETS...]
    local tree=$1
    shift
    make -C "$tree" -j"$(($(nproc) + 1))" "$@"
}
