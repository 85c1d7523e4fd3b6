#!/bin/sh
# ccache.sh CCACHE COMPILER ARGUMENTS...: the compiler through ccache, but for precompiled headers. GCC tells a header
# that #pragma once names by its time on the disk; a precompiled one from another clone, or from before a checkout, holds
# another time, and the next file that really compiles would take the header twice.
cache=$1
shift
case " $* " in
  *" c++-header "*) exec "$@" ;;
esac
exec "$cache" "$@"
