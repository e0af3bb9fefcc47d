#!/usr/bin/env bash
# The budget of CONTRIBUTING.md, counted: lengths of functions (by ctags) and files, line width, words that have no place.
# Prints the figures and each breach; exit status 1 when there is one.
set -u
cd "${srcdir:-$(dirname "$0")/..}" || exit 2
folders=()
for folder in base hal contract slicing recovery spank submit gres cli daemon library; do [ -d "$folder" ] && folders+=("$folder"); done
mapfile -t files < <(find "${folders[@]}" -name '*.cpp' -o -name '*.hpp' | sort)
breaches=0
breach() { echo "style: $1"; breaches=$((breaches + 1)); }

# LENGTH FILE:LINE NAME of each function, longest first
list_functions() {
    ctags -x --c++-kinds=f --fields=+ne --_xformat='%n %{end} %F %N' "${files[@]}" |
        awk '$2 ~ /^[0-9]+$/ { print $2 - $1 + 1, $3 ":" $1, $4 }' | sort -rn
}
list_files() { wc -l "$@" | awk '$2 != "total" { print $1, $2 }' | sort -rn; }
median() { awk '{ print $1 }' | sort -n | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : 0 }'; }

check_lengths() { # WHAT MEDIAN-LIMIT HARD-LIMIT LIST
    local middle
    middle=$(median <<<"$4")
    echo "style: $(wc -l <<<"$4") $1, median $middle lines (at most $2), longest $(head -1 <<<"$4" | cut -d' ' -f1) (at most $3)"
    [ "$middle" -le "$2" ] || breach "the median of $1 is $middle lines, over $2"
    while read -r length name; do
        [ "$length" -le "$3" ] || breach "$name has $length lines, over $3"
    done <<<"$4"
}

functions=$(list_functions)
[ -n "$functions" ] || { echo "style: ctags found no function (universal-ctags is needed)"; exit 2; }
check_lengths functions 10 60 "$functions"
check_lengths files 150 400 "$(list_files "${files[@]}")"
mapfile -t test_files < <(find tests -name '*.cpp' -o -name '*.hpp')
check_lengths "test files" 150 400 "$(list_files "${test_files[@]}")"
long=$(awk '$1 > 35' <<<"$functions" | wc -l)
[ $((long * 50)) -le "$(wc -l <<<"$functions")" ] || breach "$long functions have over 35 lines, more than one in 50"

while read -r place; do breach "$place: wider than 132 columns"; done < <(grep -nE '^.{133,}' "${files[@]}" | cut -d: -f1,2)
while read -r place; do breach "$place: unfinished"; done < <(grep -nwE 'TODO|FIXME|XXX|HACK' "${files[@]}" | cut -d: -f1,2)
[ "$breaches" = 0 ] && echo "style: within the budget"
exit $((breaches > 0))
