# What the command tests share: the program, the machine models unpacked once a file, a configuration of its own.
bats_require_minimum_version 1.5.0
srcdir=${srcdir:-$BATS_TEST_DIRNAME/../..}
cases=$srcdir/tests/fixtures/cases

# A model's tree: model hgx-h100-2s
model() {
    local tree=$BATS_FILE_TMPDIR/$1
    [[ -d $tree ]] || python3 "$cases/unpack.py" "$cases/topo/$1.sysfs" "$tree" >/dev/null
    echo "$tree"
}

# The shipped profiles and no other part of this system's configuration.
use_shipped_profiles() {
    export MSCALE_CONF=$BATS_FILE_TMPDIR/mscale.conf
    printf '[paths]\nprofiles = %s\n' "$(cd "$srcdir" && pwd)/etc/profiles" >"$MSCALE_CONF"
}

# A member of the JSON on stdin: member "['refusals'][0]['code']"
member() { python3 -c "import json, sys; print(json.load(sys.stdin)$1)"; }

# Fails with what was found.
expect() { # FOUND WANTED-PATTERN
    # shellcheck disable=SC2053  # the right side is a pattern
    [[ $1 == $2 ]] && return
    printf 'found:  %s\nwanted: %s\n' "$1" "$2"
    return 1
}
