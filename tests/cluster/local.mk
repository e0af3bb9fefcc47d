# Tests on a real Slurm that scripts/cluster brings up; run by scripts/check, since they need root and namespaces.
dist_noinst_DATA += tests/cluster/common.bash
EXTRA_DIST += tests/cluster/cluster.bats
