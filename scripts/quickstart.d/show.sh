# shellcheck shell=bash disable=SC2034,SC2154
# How it speaks: short, each fact with its proof beside it.
if [[ -t 1 ]]; then
    bold=$'\e[1m' dim=$'\e[2m' green=$'\e[32m' red=$'\e[31m' plain=$'\e[0m'
else
    bold='' dim='' green='' red='' plain=''
fi

section=0
title() {
    section=$((section + 1))
    printf '\n%s%d  %s%s  %s(%s s)%s\n' "$bold" "$section" "$1" "$plain" "$dim" "$SECONDS" "$plain"
}
tell() { printf '   %s\n' "$*"; }
quote() { sed "s/^/   ${dim}|${plain} /"; }

# The verdict of one comparison, beside what was compared.
mismatches=0
mark() { # PROMISED FOUND
    if [[ $1 == "$2" ]]; then
        printf '%syes%s' "$green" "$plain"
    else
        printf '%sNO%s' "$red" "$plain"
    fi
}
compare() { [[ $1 == "$2" ]] || mismatches=$((mismatches + 1)); }

told=0
fail() {
    told=1
    printf '\n%squick start: %s%s\n' "$red" "$*" "$plain" >&2
    exit 1
}
