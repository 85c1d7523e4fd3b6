#!/usr/bin/env bash
# static.sh LIBRARY [what a shared library would be linked from]: one object of all that is reached, whose names but
# ferry_* are local, in an archive. Groups are resolved first, for a group of the app with the same name would take
# the place of ours.
set -euo pipefail
library=$1
shift
objects=()
declare -A seen
for one in "$@"; do
  case $one in
    *.a | *.o) # each once: what is taken whole would define everything twice
      [ -n "${seen[$one]:-}" ] || objects+=("$one")
      seen[$one]=1
      ;;
    -Wl,*-state* | -Wl,*whole-archive*) # what is taken whole
      IFS=, read -ra parts <<<"${one#-Wl,}"
      objects+=("${parts[@]}")
      ;;
    *) ;;  # shared libraries, which the app links
  esac
done
whole=$library.whole.o
trap 'rm -f "$whole"' EXIT
"${FERRY_LD:-ld}" -r --force-group-allocation -o "$whole" --start-group "${objects[@]}" --end-group
"${FERRY_OBJCOPY:-objcopy}" --wildcard --keep-global-symbol='ferry_*' --strip-debug "$whole"
rm -f "$library"
"${FERRY_AR:-ar}" rcs "$library" "$whole"
