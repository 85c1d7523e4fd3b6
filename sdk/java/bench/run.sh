#!/usr/bin/env bash
# What a run through this package costs above a run in C: one line of JSON (Bench.java).
#
# usage: FERRY_BUILD=DIR run.sh MODEL PROGRAM [--quick]
# The heap never grows, so that what the process holds more is what the library does.
exec java -Xms48m -Xmx48m -XX:+AlwaysPreTouch -XX:+UseSerialGC -cp "$FERRY_BUILD/sdk/java/ferry.jar" "$(dirname "$0")/Bench.java" "$@"
