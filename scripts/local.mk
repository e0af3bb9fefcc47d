# scripts/cluster and its parts: a real Slurm in namespaces of this machine.
dist_noinst_SCRIPTS += scripts/cluster
dist_noinst_DATA += \
  scripts/cluster.d/commands.sh \
  scripts/cluster.d/config.sh \
  scripts/cluster.d/devices.sh \
  scripts/cluster.d/host.sh \
  scripts/cluster.d/hosts.sh \
  scripts/cluster.d/life.sh \
  scripts/cluster.d/needs.sh \
  scripts/cluster.d/network.sh \
  scripts/cluster.d/pages.sh \
  scripts/cluster.d/parts.sh \
  scripts/cluster.d/service.sh \
  scripts/cluster.d/settings.sh

# scripts/check and scripts/soak, and what they share with scripts/quickstart.
dist_noinst_SCRIPTS += scripts/check scripts/soak
dist_noinst_DATA += \
  scripts/check.d/beside.sh \
  scripts/check.d/long.sh \
  scripts/check.d/report.sh \
  scripts/check.d/steps.sh \
  scripts/setup.d/build.sh \
  scripts/setup.d/packages.sh

# scripts/quickstart
dist_noinst_SCRIPTS += scripts/quickstart
dist_noinst_DATA += \
  scripts/quickstart.d/breach.sh \
  scripts/quickstart.d/clean.sh \
  scripts/quickstart.d/ground.sh \
  scripts/quickstart.d/jobs.sh \
  scripts/quickstart.d/proof.sh \
  scripts/quickstart.d/recovery.sh \
  scripts/quickstart.d/refusal.sh \
  scripts/quickstart.d/show.sh \
  scripts/quickstart.d/slices.sh \
  scripts/quickstart.d/train.sh
