# shellcheck shell=bash disable=SC2154
# What passed and what failed: each step's output goes to a log, its verdict to the terminal, its numbers to the last line.
passed=0 failed=0 skipped=0
summaries=()

seconds_since() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }'; }

# Runs a step and counts it as one; the log of a failed one is shown.
run_step() { # NAME CMD...
    local name=$1 begin=$EPOCHREALTIME
    shift
    if "$@" >"$logs/$name.log" 2>&1; then
        passed=$((passed + 1))
        printf '  ok      %-28s %7s s\n' "$name" "$(seconds_since "$begin")"
    else
        failed=$((failed + 1))
        printf '  FAILED  %-28s %7s s\n' "$name" "$(seconds_since "$begin")"
        show_failure "$logs/$name.log"
        return 1
    fi
}

show_failure() { # LOG
    local picked
    picked=$(failed_tests "$1"; grep -nE '(^ok .* # skip|:[FE]:|error:|warning:|FAIL|floors:|style:|Sanitizer)' "$1" | head -n 20)
    [[ -n $picked ]] || picked=$(tail -n 15 "$1")
    printf '%s\n' "$picked" | sed 's/^/          /'
    echo "          whole log: $1"
}

# What bats said of the first tests that failed.
failed_tests() { # LOG
    awk '/^(not )?ok / { shown = /^not/ ? 12 : 0 } shown-- > 0' "$1" | head -n 60
}

# Runs a runner of many tests and counts each of them by its own words.
run_many() { # NAME COUNTER CMD...
    local name=$1 counter=$2 begin=$EPOCHREALTIME status=0 good bad left_out counts
    shift 2
    "$@" >"$logs/$name.log" 2>&1 || status=$?
    read -r good bad left_out < <("$counter" "$logs/$name.log")
    ((status == 0 || bad > 0)) || bad=1
    ((good + bad > 0)) || bad=1
    passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + left_out))
    counts="$good passed, $bad failed, $left_out skipped"
    summaries+=("$name: $counts")
    printf '  %-7s %-28s %7s s  %s\n' "$( ((bad == 0)) && echo ok || echo FAILED)" "$name" "$(seconds_since "$begin")" "$counts"
    ((left_out == 0)) || show_skips "$logs/$name.log"
    ((bad == 0)) || show_failure "$logs/$name.log"
}

show_skips() { # LOG
    grep -oP '^ok .* # skip \Kneeds a (kernel|machine) .*' "$1" | sort | uniq -c | sed 's/^ *\([0-9]*\)/          SKIPPED \1:/'
}

# Check: "100%: Checks: 12, Failures: 0, Errors: 0"
count_checks() {
    awk -F'[:,]' '/Checks: [0-9]+, Failures/ { all += $3; bad += $5 + $7 } END { print all - bad, bad + 0, 0 }' "$1"
}

# Python's unittest: "Ran 12 tests in 3.1s", "FAILED (failures=1, errors=2, skipped=1)"
count_unittest() {
    awk '/^Ran [0-9]+ tests? in/ { all += $2 }
        /^(OK|FAILED) \(/ { gsub(/[(),]/, " "); for (i = 2; i <= NF; ++i) { split($i, part, "="); count[part[1]] += part[2] } }
        END { bad = count["failures"] + count["errors"] + count["skipped"]; print all - bad, bad + 0, 0 }' "$1"
}

# TAP as bats prints it.  A skip is no pass; and where everything was installed and built beforehand it is a failure, unless it
# is for what this machine is: "needs a kernel …", "needs a machine …".
count_tap() {
    awk '/^ok .* # skip needs a (kernel|machine) /{ left_out++; next }
        /^ok .* # skip/{ bad++; next }
        /^ok /{ good++ }
        /^not ok /{ bad++ }
        END { print good + 0, bad + 0, left_out + 0 }' "$1"
}

finish() {
    printf '\n'
    ((${#summaries[@]} == 0)) || printf '%s\n' "${summaries[@]}"
    echo "$passed passed, $failed failed, $skipped skipped"
    exit $((failed > 0))
}
