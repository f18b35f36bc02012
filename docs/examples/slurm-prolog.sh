#!/bin/sh
# Slurm Prolog (slurm.conf: Prolog=/etc/slurm/prolog.d/joulemark.sh): runs as root on each node.
# A monitor that is not there must not keep the job from starting.
/usr/local/bin/joulemark mark -q begin "$SLURM_JOB_ID" || true
