# shellcheck shell=bash disable=SC2030,SC2031,SC2034,SC2154
# Steps that need only the processors run at idle priority beside the cluster tests, which mostly wait.
beside_pid=

start_beside() { # FUNCTION of steps
    (
        chrt --idle --pid 0 "$BASHPID" # no test on the cluster waits for a processor that these hold
        passed=0 failed=0 summaries=()
        "$1"
        declare -p passed failed summaries >"$logs/beside.counts"
    ) >"$logs/beside.out" 2>&1 &
    beside_pid=$!
}

# Waits for the steps, shows their lines and adds their numbers to those of this shell.
collect_beside() {
    wait "$beside_pid"
    cat "$logs/beside.out"
    local -i more_passed more_failed
    more_passed=$(counts_of passed) more_failed=$(counts_of failed)
    passed=$((passed + more_passed)) failed=$((failed + more_failed))
    mapfile -t -O "${#summaries[@]}" summaries < <(counts_of 'summaries[@]')
}

counts_of() { # VARIABLE as the steps left it; a failure when they didn't come to their end
    (
        passed=0 failed=1 summaries=("beside: 0 passed, 1 failed")
        # shellcheck source=/dev/null
        [[ ! -e $logs/beside.counts ]] || source <(sed 's/^declare --/declare -g --/; s/^declare -a/declare -ga/' "$logs/beside.counts")
        printf '%s\n' "${!1}"
    )
}
