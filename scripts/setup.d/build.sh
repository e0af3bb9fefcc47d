# shellcheck shell=bash disable=SC2016
# Configure and make in a build directory; sourced by scripts/quickstart and scripts/check.
with_ccache() { if type -P ccache >/dev/null; then echo "ccache g++"; else echo g++; fi; }

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
    make -C "$tree" -j"$(nproc)" "$@"
}

# A first build is waited for: the headers that most files read are compiled once, for shared objects and for programs.
precompile_headers() { # BUILD
    local headers=(algorithm filesystem fstream functional map memory optional set sstream string variant vector
        fmt/format.h nlohmann/json.hpp tl/expected.hpp) compiler
    make -s -C "$1" Makefile config.h >/dev/null # whatever it has to say about itself comes before the question
    read -ra compiler < <(make -s -C "$1" --eval 'show:;@echo $(CXX) -O0 $(MSCALE_CXXFLAGS)' show)
    { echo '#define FMT_HEADER_ONLY'; printf '#include <%s>\n' "${headers[@]}"; } >"$1/prelude.hpp" # as base/text.hpp has it
    mkdir -p "$1/prelude.hpp.gch"
    "${compiler[@]}" -fPIC -DPIC -x c++-header "$1/prelude.hpp" -o "$1/prelude.hpp.gch/shared" &
    "${compiler[@]}" -x c++-header "$1/prelude.hpp" -o "$1/prelude.hpp.gch/program"
    wait $!
}
