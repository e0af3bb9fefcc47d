# shellcheck shell=bash disable=SC2030,SC2031,SC2034,SC2154
# Steps that run beside others, each in a shell of its own: what they said and counted is collected at their end.
declare -A beside_pids=()

start_beside() { # NAME CMD... that runs steps
    local name=$1
    shift
    (
        passed=0 failed=0 summaries=()
        "$@"
        declare -p passed failed summaries >"$logs/$name.counts"
    ) >"$logs/$name.out" 2>&1 &
    beside_pids[$name]=$!
}

# For steps that need only the processors: no test on a cluster waits for one that these hold.
run_when_idle() { # CMD...
    renice -n 19 -p "$BASHPID" >/dev/null
    "$@"
}

# Waits for the steps, shows their lines and adds their numbers to those of this shell.
collect_beside() { # NAME
    wait "${beside_pids[$1]}"
    cat "$logs/$1.out"
    local -i more_passed more_failed
    more_passed=$(counts_of "$1" passed) more_failed=$(counts_of "$1" failed)
    passed=$((passed + more_passed)) failed=$((failed + more_failed))
    mapfile -t -O "${#summaries[@]}" summaries < <(counts_of "$1" 'summaries[@]')
}

counts_of() { # NAME VARIABLE as the steps left it; a failure when they didn't come to their end
    (
        passed=0 failed=1 summaries=("$1: 0 passed, 1 failed")
        # shellcheck source=/dev/null
        [[ ! -e $logs/$1.counts ]] || source <(sed 's/^declare --/declare -g --/; s/^declare -a/declare -ga/' "$logs/$1.counts")
        printf '%s\n' "${!2}"
    )
}
