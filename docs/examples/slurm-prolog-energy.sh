#!/bin/sh
# Slurm Prolog: the job's group may read the node's energy counters while it has the node for itself.
# Only with OverSubscribe=EXCLUSIVE: readings leak what other users' processes do (CVE-2020-8694).
POWERCAP=${POWERCAP:-/sys/class/powercap}
for file in "$POWERCAP"/*-rapl:*/energy_uj; do
  [ -e "$file" ] || continue
  chgrp "$SLURM_JOB_GID" "$file" && chmod 0440 "$file"
done
exit 0
