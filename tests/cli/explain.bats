#!/usr/bin/env bats
# mscale explain, and that the manuals say what the program says.
load common

setup() { use_shipped_profiles; }

@test "every code and every clause can be explained" {
    codes=$(mscale explain --codes | grep -o '^MSC-[A-Z][0-9]*')
    [ "$(wc -l <<<"$codes")" -gt 50 ]
    for code in $codes; do mscale explain "$code" | grep -q cure; done
    for clause in $(mscale explain --clauses | cut -d' ' -f1); do mscale explain "$clause" | grep -q meaning; done
}

@test "a code is found in either case" {
    run mscale explain msc-v012
    [ "$status" -eq 0 ]
    expect "$output" "MSC-V012*"
}

@test "what is neither a code nor a clause is a wrong call" {
    run mscale explain gpu.smm
    [ "$status" -eq 2 ]
}

@test "the profiles are listed with their clauses" {
    run mscale explain --profiles
    [ "$status" -eq 0 ]
    expect "$output" "mlvm-heavy *gpu.sm=24*mlvm-hybrid *mlvm-light *"
}

@test "the list of clauses as JSON is versioned" {
    run --separate-stderr mscale explain --clauses --json
    expect "$(member "['mscale_clauses']" <<<"$output")" 1
}

@test "no manual has a warning" {
    command -v mandoc >/dev/null || skip "mandoc isn't installed"
    run mandoc -T lint -W warning "$srcdir"/man/*.[1-8]
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "each subcommand stands in the manual of the command" {
    for subcommand in check explain topology plan status inventory exec doctor; do
        grep -q "^\.Cm $subcommand\|^\.It Cm $subcommand" "$srcdir/man/mscale.1"
    done
}

@test "a clause that was mistyped is told with the nearest" {
    run --separate-stderr mscale explain role.x.hugepage
    [ "$status" -eq 2 ]
    expect "$stderr" "*did you mean 'role.x.hugepages'*"
}

@test "a section lists its clauses" {
    run --separate-stderr mscale explain gpu
    [ "$status" -eq 0 ]
    expect "$output" "*gpu.sm *"
    [[ $output != *rdma.* ]]
    run --separate-stderr mscale explain role.loader --json
    expect "$(member "['clauses'][0]['clause']" <<<"$output")" "role.NAME.*"
}

@test "without profiles the directory is named that was looked in" {
    printf '[paths]\nprofiles = /nonexist/profiles\n' >"$MSCALE_CONF"
    run --separate-stderr mscale explain --profiles
    [ "$status" -eq 0 ]
    expect "$stderr" "*/nonexist/profiles holds no profile*"
    run --separate-stderr mscale check mlvm-light
    [ "$status" -eq 2 ]
    expect "$stderr" "*MSC-P017*looked in /nonexist/profiles*"
}

@test "a heading of the manual that begins with the name of a macro is text" {
    command -v mandoc >/dev/null || skip "mandoc isn't installed"
    run mandoc "$srcdir/man/spank_mscale.8"
    expect "$output" "*     In the prolog*     In a step*     In the epilog*"
}

@test "the contract of a file that the README names can be read" {
    [ -f "$srcdir/etc/profiles/mlvm-light.ini" ]
    grep -q '@etc/profiles/mlvm-light.ini' "$srcdir/README.md"
}
