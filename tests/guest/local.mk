# Tests on a machine that QEMU emulates; run by scripts/check, as they need root and a kernel of Debian's.
EXTRA_DIST += \
  tests/guest/boot tests/guest/init tests/guest/initramfs.sh tests/guest/kernel.sh tests/guest/machine.sh tests/guest/run
EXTRA_DIST += tests/guest/guest.bash tests/guest/charge.bats tests/guest/hugepages.bats tests/guest/machine.bats tests/guest/transport.bats
