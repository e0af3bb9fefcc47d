#!/usr/bin/env bats
# The numbers in the last lines of scripts/check.
load common

setup() {
    logs=$BATS_TEST_TMPDIR
    # shellcheck source=/dev/null
    source "$srcdir/scripts/check.d/report.sh"
}

tap() { printf '%s\n' "$@" >"$logs/tap" && count_tap "$logs/tap"; }

@test "a test that was skipped is not counted as passed" {
    [ "$(tap 'ok 1 a' 'ok 2 b # skip needs a kernel whose huge pages can be set' 'not ok 3 c')" = "1 1 1" ]
}

@test "a skip for want of something that the check installs or builds is a failure" {
    [ "$(tap 'ok 1 a # skip spank_mscale is not built' "ok 2 b # skip mandoc isn't installed" 'ok 3 c # skip needs strace')" = "0 3 0" ]
    [ "$(tap 'ok 1 a # skip')" = "0 1 0" ]
}

@test "a skip shows in the line of its runner, with its reason, and in the last one" {
    run_many units count_tap printf '%s\n' 'ok 1 a' 'ok 2 b # skip needs a kernel whose huge pages can be set' >"$logs/said"
    run finish
    [ "$status" -eq 0 ]
    expect "$(<"$logs/said")" "*1 passed, 0 failed, 1 skipped*needs a kernel whose huge pages can be set*"
    expect "$output" "*1 passed, 0 failed, 1 skipped"
}

@test "a skip that is a failure is shown and makes the check fail" {
    run_many units count_tap printf '%s\n' 'ok 1 a' 'ok 2 b # skip needs munged' >"$logs/said"
    run finish
    [ "$status" -eq 1 ]
    expect "$(<"$logs/said")" "*FAILED*needs munged*"
}
