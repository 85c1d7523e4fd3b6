#!/bin/sh
# ccache.sh CCACHE COMPILER ARGUMENTS...: the compiler through ccache, but for precompiled headers. GCC tells a header
# that #pragma once names by its time on the disk; a precompiled one from another clone, or from before a checkout, holds
# another time, and the next file that really compiles would take the header twice. So each clone precompiles its own;
# OUTPUT.sum beside it names the text that went in, and ccache compares that, so that clones share what includes it.
cache=$1
shift
export CCACHE_PCH_EXTSUM=1
case " $* " in
  *" c++-header "*) ;;
  *) exec "$cache" "$@" ;;
esac
output=
count=$#
while [ "$count" -gt 0 ]; do
  argument=$1
  shift
  if [ "$argument" = -o ]; then
    output=$1
    shift
    count=$((count - 1))
  else
    set -- "$@" "$argument"
  fi
  count=$((count - 1))
done
set -- "$@" "-fmacro-prefix-map=$CCACHE_BASEDIR/="
rm -f "$output"  # or it would stand for its text
"$@" -E -P -dD -MF /dev/null | sha256sum > "$output.sum"
exec "$@" -o "$output"
