# Tests on a real Slurm that scripts/cluster brings up; run by scripts/check, since they need root and namespaces.
dist_noinst_DATA += tests/cluster/common.bash
EXTRA_DIST += tests/cluster/cluster.bats
dist_noinst_DATA += tests/cluster/spank.bash
EXTRA_DIST += \
  tests/cluster/spank_exception.bats \
  tests/cluster/spank_forged.bats \
  tests/cluster/spank_node.bats \
  tests/cluster/spank_submit.bats
EXTRA_DIST += tests/cluster/mscaled.bats tests/cluster/recovery.bats
# What is lost on the way, and how it comes back: minutes of waiting for deaths, so that scripts/soak runs it.
dist_noinst_DATA += tests/cluster/loss/lost_nodes.bash tests/cluster/loss/snapshots.bash tests/cluster/loss/check_elastic.py
EXTRA_DIST += \
  tests/cluster/loss/elastic.bats \
  tests/cluster/loss/charge.bats \
  tests/cluster/loss/domains.bats \
dist_noinst_DATA += tests/cluster/loss/heat.bash tests/cluster/loss/lost_nodes.bash tests/cluster/loss/snapshots.bash
EXTRA_DIST += \
  tests/cluster/loss/cases.bats \
  tests/cluster/loss/everyday.bats \
  tests/cluster/loss/failure.bats \
  tests/cluster/loss/flipped.bats \
  tests/cluster/loss/keeper.bats \
  tests/cluster/loss/part_loss.bats \
  tests/cluster/loss/partition.bats \
  tests/cluster/loss/promise.bats \
  tests/cluster/loss/redundancy.bats \
  tests/cluster/loss/requeue.bats \
  tests/cluster/loss/spill.bats \
  tests/cluster/loss/two_nodes.bats \
  tests/cluster/loss/run.bats
EXTRA_DIST += tests/cluster/slow/requeue.bats
dist_noinst_DATA += tests/cluster/storm/storm.bash tests/cluster/storm/faults.bash \
  tests/cluster/storm/points.bash tests/cluster/storm/point_table.bash tests/cluster/storm/training.bash
EXTRA_DIST += tests/cluster/storm/kill_storm.bats tests/cluster/storm/growth_storm.bats \
  tests/cluster/storm/fault_storm.bats tests/cluster/storm/point_kills.bats tests/cluster/storm/samples.py tests/cluster/loss/flip.py
dist_noinst_DATA += tests/cluster/submit.bash
EXTRA_DIST += \
  tests/cluster/gres.bats \
  tests/cluster/submit.bats \
  tests/cluster/submit_modify.bats \
  tests/cluster/submit_restart.bats
