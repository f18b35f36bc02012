#!/bin/sh
# Slurm Epilog (slurm.conf: Epilog=/etc/slurm/epilog.d/joulemark.sh): runs as root on each node.
/usr/local/bin/joulemark mark -q end "$SLURM_JOB_ID" || true
