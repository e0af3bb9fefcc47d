# shellcheck shell=bash disable=SC2034,SC2154
# The programs and plugins of the build tree are copied into the cluster, so that a rebuild does not pull them from under it.
plugin_parts=(spank_mscale job_submit_mscale gres_sm)
program_parts=(mscale mscale-node mscaled mscale-holder mscale-spill mscale-charge)

# The real file behind a name: libtool leaves it in .libs and a wrapper script in its place.
find_built() { # NAME
    local path
    while read -r path; do
        [[ $(head -c 4 "$path") == $'\x7fELF' ]] && echo "$path" && return
    done < <(find "$build" -maxdepth 6 -type f -name "$1" -printf '%h %p\n' 2>/dev/null | sort -r | cut -d' ' -f2-)
}

copy_part() { # NAME DIRECTORY
    local path
    path=$(find_built "$1")
    [[ -n $path ]] && install -m 0755 "$path" "$2/${path##*/}"
}

has_part() { [[ -e $base/plugins/$1.so || -e $base/bin/$1 ]]; }
is_without() { [[ " ${without[*]:-} " == *" $1 "* ]]; }

assemble_parts() {
    local part missing=()
    mkdir -p "$base/plugins" "$base/bin" "$base/lib"
    for part in "${plugin_parts[@]}"; do
        copy_part "$part.so" "$base/plugins" || missing+=("$part")
    done
    for part in "${program_parts[@]}"; do
        copy_part "$part" "$base/bin" || missing+=("$part")
    done
    copy_part "libnvidia-ml*.so*" "$base/plugins" || true
    copy_part "libmscale.so.0.0.0" "$base/lib" && ln -sf libmscale.so.0.0.0 "$base/lib/libmscale.so.0"
    is_without spank && rm -f "$base/plugins/spank_mscale.so"
    is_without job_submit && rm -f "$base/plugins/job_submit_mscale.so"
    is_without gres && rm -f "$base/plugins/gres_sm.so"
    is_without mscaled && rm -f "$base/bin/"{mscaled,mscale-holder,mscale-spill,mscale-charge}
    ((${#missing[@]} == 0)) || say "not in $build: ${missing[*]}"
}

# Whether nothing was built again since the cluster came up.
parts_are_current() {
    local part path
    for part in "${plugin_parts[@]/%/.so}" "${program_parts[@]}"; do
        path=$(find_built "$part")
        [[ -z $path || $path -ot $base/options ]] || return 1
    done
}

nvml_double() { compgen -G "$base/plugins/libnvidia-ml*" | head -1 || true; }
