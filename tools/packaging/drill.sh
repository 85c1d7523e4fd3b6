#!/usr/bin/env bash
# Installs Ferry's packages and lives with them: a server, a device, a release, an upgrade, removal, purging.
#
#   drill.sh FIRST SECOND TASK [--local] [-- UNDER...]
#
# FIRST, SECOND  folders of .deb files: of a version, and of a later one
# TASK           folder of a task that is packed and released
# --local        by dpkg alone, where everything that they depend on is there
# UNDER          runs the server's and the device's command lines, as `UNDER UNIT COMMAND...`
#
# Changes the system it runs in: for a chroot, as root. Where systemd does not run the units' command lines are, each as
# its user and without rights. Prints a line a step; status 0 when all is as it should be.
set -euo pipefail
first=$(cd "$1" && pwd) second=$(cd "$2" && pwd) task=$(cd "$3" && pwd)
shift 3
local_only=
if [ "${1:-}" = --local ]; then local_only=1; shift; fi
[ "${1:-}" != -- ] || shift
under=("$@")
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
work=$(mktemp -d) pids=()
export HOME=$work
begin=$(date +%s%N)
say() { printf '%6.1f s  %s\n' "$((($(date +%s%N) - begin) / 100000000))e-1" "$*"; }
fail() {
  printf 'FAILED: %s\n' "$*" >&2
  tail -n 20 "$work"/*.log >&2 2>/dev/null || true
  exit 1
}
# Ends what it started, and removes its own folder.
leave() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || true; done
  rm -rf "$work"
}
trap leave EXIT

# until SECONDS WHAT COMMAND...: the command's success within the seconds.
until_ok() {
  local deadline=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$deadline" ] || fail "waited for $what"
    sleep 0.2
  done
}
install_from() {
  if [ -n "$local_only" ]; then
    dpkg -i "$1"/*.deb >"$work/dpkg.log" 2>&1 || fail "dpkg -i"
  else
    apt-get install -y -qq -o Dpkg::Options::=--force-unsafe-io "$1"/*.deb >"$work/apt.log" 2>&1 || fail "apt-get install"
  fi
}
version_of() { dpkg-query -W -f='${Version}' "$1"; }

# lines UNIT KEY: the unit's command lines of that key.
lines() { sed -n "s/^$2=//p" "/lib/systemd/system/$1.service"; }
# become UNIT COMMAND: this shell becomes what systemd would make of a command line: settings, credentials, user, no rights.
become() {
  local unit=$1 command=$2
  set -a
  # shellcheck disable=SC1090
  . "$(lines "$unit" EnvironmentFile)"
  CREDENTIALS_DIRECTORY=/run/credentials/$unit
  set +a
  umask 0077
  cd /
  trap - EXIT
  eval "exec setpriv --reuid $unit --regid $unit --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all \
    ${under[*]:+${under[*]} $unit} $command"
}
# Its credentials as systemd hands them over: files that the user alone reads.
credentials() {
  local folder=/run/credentials/$1 pair
  rm -rf "$folder"
  install -d -m 0700 -o "$1" -g "$1" "$folder"
  for pair in $(lines "$1" LoadCredential); do
    if [ -e "${pair#*:}" ]; then
      install -m 0400 -o "$1" -g "$1" "${pair#*:}" "$folder/${pair%%:*}"
    else
      install -m 0400 -o "$1" -g "$1" /dev/null "$folder/${pair%%:*}"
    fi
  done
}
start() {
  local unit=$1 pre
  credentials "$unit"
  pre=$(lines "$unit" ExecStartPre)
  [ -z "$pre" ] || (become "$unit" "$pre") >>"$work/$unit.log" 2>&1 || fail "$unit: ExecStartPre"
  become "$unit" "$(lines "$unit" ExecStart)" >>"$work/$unit.log" 2>&1 &
  pids+=($!)
}
stop_all() {
  for pid in "${pids[@]}"; do kill "$pid" && { wait "$pid" || fail "a service ended with status $?"; }; done
  pids=()
}
as_server() { runuser -u ferry-server -- ferry-server "$@" --dir /var/lib/ferry-server; }
device_status() { runuser -u ferry-device -- ferry-device status --dir /var/lib/ferry-device --json; }
state_is() { ferry release show "$release" --json | grep -q "\"state\": *\"$1\""; }

[ -n "$local_only" ] || apt-get update -qq
install_from "$first"
say "installed $(version_of ferry-server): $(cd "$first" && echo *.deb | wc -w) packages"
for program in ferry ferry-tuf ferry-server ferry-device; do "$program" --help >/dev/null || fail "$program --help"; done
[ "$(stat -c '%U %a' /var/lib/ferry-server)" = "ferry-server 700" ] || fail "the server's folder is another's"
ldconfig -p | grep -q 'libferry\.so\.0 ' || fail "the loader does not know libferry.so.0"
[ "$(id -u ferry-server)" -ne 0 ] || fail "the server's user is root"
if command -v gcc >/dev/null && command -v pkg-config >/dev/null; then
  printf '#include <ferry.h>\n#include <stdio.h>\nint main(void) { return puts(ferry_version()) < 0; }\n' >"$work/app.c"
  # shellcheck disable=SC2046
  gcc -std=c99 "$work/app.c" -o "$work/app" $(pkg-config --cflags --libs ferry)
  app=$("$work/app") || fail "an app of libferry-dev does not run"
  say "an app of libferry-dev runs with libferry $app"
fi

echo '# kept over upgrades' >>/etc/ferry/server.conf
start ferry-server
until_ok 60 "the server" grep -q '^console: ' "$work/ferry-server.log"
console=$(sed -n 's/^console: //p' "$work/ferry-server.log" | head -1)
password=$(sed -n 's/^one-time password: //p' "$work/ferry-server.log" | head -1)
! grep -q '^admin password' "$work/ferry-server.log" || fail "the log has the admin's password"
say "server runs as $(id -un ferry-server) at $console"

ferry login "$console" <<<"$password" >"$work/login.log" 2>&1 || fail "ferry login"
ferry keys init --dir "$work/publisher" --online-keys /var/lib/ferry-server/online-keys.json >/dev/null
ferry keys upload --dir "$work/publisher" >/dev/null
ferry pack "$task" -o "$work/task.fpk" >"$work/pack.log"
ferry publish "$work/task.fpk" --dir "$work/publisher" >/dev/null
# What is released under which version.
described=$(ferry package list --json)
name=$(grep -o '"name": *"[^"]*"' <<<"$described" | head -1 | cut -d'"' -f4)
version=$(grep -o '"version": *"[^"]*"' <<<"$described" | head -1 | cut -d'"' -f4)
say "published $name $version"

# Without a token or an identity the unit's conditions hold the device back.
for path in $(sed -n 's/^ConditionPathExists=|//p' /lib/systemd/system/ferry-device.service); do
  [ ! -e "$path" ] || fail "$path is there before the device joined"
done
(umask 0077 && as_server join-token --uses 1 >/etc/ferry/join-token)
start ferry-device
enrolled() { ferry device list --json | grep -q '"id"'; }
until_ok 60 "the device to join" enrolled
until_ok 10 "the device's identity" test -e /var/lib/ferry-device/identity.json
say "device joined: $(device_status | head -c 60)..."

started=$(ferry release start --package "$name" --version "$version" --rule '' --min-healthy 1 --min-reports 1 --json)
release=$(grep -o '"id": *"[^"]*"' <<<"$started" | head -1 | cut -d'"' -f4)
until_ok 120 "the release to complete" state_is complete
device_status | grep -q "\"$name\"" || fail "the device has no $name"
say "release $release complete, simulated and then on the device"

stop_all
rm /etc/ferry/join-token
install_from "$second"
[ "$(version_of ferry-server)" != "$(dpkg-deb -f "$first"/ferry-server_*.deb Version)" ] || fail "nothing was upgraded"
grep -q '^# kept over upgrades' /etc/ferry/server.conf || fail "the upgrade lost a setting"
mv "$work/ferry-server.log" "$work/ferry-server-before.log"
upgraded_ms=$(date +%s%3N)
start ferry-server
until_ok 60 "the upgraded server" grep -q '^console: ' "$work/ferry-server.log"
start ferry-device
came_back() {
  local seen_ms
  seen_ms=$(ferry device list --json | grep -o '"last_seen_ms": *[0-9]*' | grep -o '[0-9]*$')
  [ "$seen_ms" -ge "$upgraded_ms" ]
}
until_ok 90 "the device to come back without a token" came_back
state_is complete || fail "the upgraded server forgot the release"
say "upgraded to $(version_of ferry-server): release, device and settings are there"
stop_all

dpkg -r ferry-server ferry-device >"$work/dpkg.log" 2>&1 || fail "dpkg -r"
[ -e /var/lib/ferry-server/ferry.db ] && [ -e /etc/ferry/server.conf ] || fail "removing lost state or settings"
id ferry-server >/dev/null || fail "removing lost the user"
say "removed: state, settings and users stay"
touch /etc/ferry/join-token
dpkg -P ferry-server ferry-device ferry-tools libferry-dev libferry0 >"$work/dpkg.log" 2>&1 || fail "dpkg -P"
for path in /var/lib/ferry-server /var/lib/ferry-device /etc/ferry /usr/bin/ferry /lib/systemd/system/ferry-server.service \
  /usr/lib/*/libferry.so*; do
  [ ! -e "$path" ] || fail "$path is still there"
done
for user in ferry-server ferry-device; do ! id "$user" >/dev/null 2>&1 || fail "user $user is still there"; done
say "purged: nothing is left"
