#!/usr/bin/env bash
# A floor includes only lower floors, and folders of one floor not each other; a library is seen only in the .cpp files of
# the folders that DESIGN §2 names.  Prints each breach; exit status 1 when there is one.
set -u
cd "${srcdir:-$(dirname "$0")/..}" || exit 2
declare -A floor=([base]=0 [hal]=1 [contract]=2 [slicing]=3 [recovery]=3 [bpf]=3
                  [spank]=4 [submit]=4 [gres]=4 [cli]=4 [daemon]=4 [library]=4)
breaches=0
breach() { echo "floors: $1"; breaches=$((breaches + 1)); }

for folder in "${!floor[@]}"; do
    [ -d "$folder" ] || continue
    while IFS=: read -r file line target; do
        [ "$target" = "$folder" ] && continue
        [ -n "${floor[$target]:-}" ] || continue
        [ "${floor[$target]}" -lt "${floor[$folder]}" ] || breach "$file:$line: $folder/ must not include $target/"
    done < <(grep -rnoP '^\s*#\s*include\s+"\K[a-z]+(?=/)' "$folder" --include='*.[ch]pp' --include='*.h')
done

# HEADER-PATTERN  FOLDERS  WHERE (cpp: only .cpp files)
while read -r pattern folders where; do
    while IFS=: read -r file line _; do
        folder=${file%%/*} below=${file%/*}
        case ",$folders," in *",$folder,"* | *",$below,"*) ;; *) breach "$file:$line: <$pattern> belongs in $folders only"; continue ;; esac
        [ "$where" = cpp ] && [ "${file##*.}" != cpp ] && breach "$file:$line: <$pattern> belongs in .cpp files only"
    done < <(grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*<$pattern" base hal contract slicing recovery spank submit gres cli daemon library \
                 --include='*.[ch]pp' --include='*.h')
done <<'TABLE'
hwloc hal cpp
ini\.h base cpp
nlohmann/ base any
fmt/ base any
tl/ base any
CLI/ cli,daemon cpp
munge\.h submit,recovery,daemon cpp
isa-l recovery cpp
infiniband/ recovery/verbs cpp
rdma/ recovery/verbs cpp
sodium recovery cpp
liburing\.h daemon,library cpp
slurm/ spank,submit,gres,cli,daemon any
TABLE
[ "$breaches" = 0 ] && echo "floors: every include points down"
exit $((breaches > 0))
