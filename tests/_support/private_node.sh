#!/bin/bash
# Runs a command where /dev, /sys and /proc/cpuinfo are those of a simulated node, at their true
# paths, in a mount namespace of its own: nothing of it is seen outside.
#
#   unshare -m bash private_node.sh WORK_DIR REGISTER_FS EXECUTABLE COMMAND…
#
# WORK_DIR/control breaks counters while the command runs; EXECUTABLE stands as WORK_DIR/joulemark.
set -eu
W=$1 FS=$2 EXECUTABLE=$3
shift 3
mount --make-rprivate /
CPUS=$(nproc --all)
mkdir -p "$W/fs" "$W/dev" "$W/sys" "$W/class"
touch "$W/control" "$W/joulemark"
mount --bind "$EXECUTABLE" "$W/joulemark"

"$FS" "$W/fs" "$W/control" "$CPUS" &
SERVER=$!
trap 'kill "$SERVER"' EXIT
for _ in $(seq 50); do
  [ ! -d "$W/fs/cpu/0" ] || break
  sleep 0.1
done

# Lays a directory in memory over another one, with everything that was in it; what is named after
# the two is left out.
cover() {
  local directory=$1 aside=$2 entry name
  shift 2
  mount --rbind "$directory" "$aside"
  mount -t tmpfs -o mode=0755 none "$directory"
  for entry in "$aside"/*; do
    name=${entry##*/}
    case " $* " in *" $name "*) continue ;; esac
    if [ -L "$entry" ]; then
      cp -P "$entry" "$directory/$name"
    elif [ -d "$entry" ]; then
      mkdir "$directory/$name"
      mount --rbind "$entry" "$directory/$name"
    else
      touch "$directory/$name"
      mount --bind "$entry" "$directory/$name"
    fi
  done
}

cover /dev "$W/dev" cpu ipmi0
mkdir /dev/cpu
mount --rbind "$W/fs/cpu" /dev/cpu
touch /dev/ipmi0
mount --bind "$W/fs/ipmi0" /dev/ipmi0
cover /sys "$W/sys" cray class
mkdir -p /sys/class /sys/cray
for entry in "$W"/sys/class/*; do
  name=${entry##*/}
  [ "$name" != powercap ] || continue
  mkdir "/sys/class/$name"
  mount --rbind "$entry" "/sys/class/$name"
done
mkdir -p /sys/cray/pm_counters "/sys/class/powercap/intel-rapl:0"
mount --bind "$W/fs/cray" /sys/cray/pm_counters
ZONE=/sys/class/powercap/intel-rapl:0
echo package-0 >"$ZONE/name"
echo 262143328850 >"$ZONE/max_energy_range_uj"
touch "$ZONE/energy_uj"
mount --bind "$W/fs/powercap_energy" "$ZONE/energy_uj"

# A client processor whose memory counts in the package's unit.
for cpu in $(seq 0 $((CPUS - 1))); do
  printf 'processor\t: %s\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 158\n' "$cpu"
  printf 'model name\t: Simulated CPU\nstepping\t: 9\nphysical id\t: 0\ncore id\t\t: %s\n' "$cpu"
  printf 'flags\t\t: msr aperfmperf\n\n'
done >"$W/cpuinfo"
mount --bind "$W/cpuinfo" /proc/cpuinfo

# GPU libraries of the tests, where the executable may load from, and what a driver would list.
if ls "$W"/lib*.so* >/dev/null 2>&1; then
  mount -t tmpfs none /opt
  mkdir /opt/gpu
  cp "$W"/lib*.so* /opt/gpu/
  export LD_LIBRARY_PATH=/opt/gpu
fi
if [ -e "$W/libnvidia-ml.so.1" ]; then
  mount -t tmpfs none /proc/driver
  mkdir -p /proc/driver/nvidia/gpus/0000:07:00.0 /proc/driver/nvidia/gpus/0000:87:00.0
fi

status=0
"$@" || status=$?
exit "$status"
