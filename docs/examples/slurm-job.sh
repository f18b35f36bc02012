#!/bin/sh
#SBATCH --nodes=2
#SBATCH --ntasks=4
# A job of two nodes: one monitor on each, one report of both. The launcher comes first.
#   sbatch slurm-job.sh ./app [ARG...]
srun joulemark run --report "job-$SLURM_JOB_ID.report" -- "$@"
