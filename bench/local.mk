# bench
EXTRA_DIST += bench/srun.sh
