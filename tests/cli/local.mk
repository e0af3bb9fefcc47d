# The command from outside, by bats.
command_tests = tests/cli/cases.bats tests/cli/check.bats tests/cli/exec.bats tests/cli/explain.bats tests/cli/usage.bats
EXTRA_DIST += tests/cli/common.bash $(command_tests)
if HAVE_BATS
check-local: mscale
	srcdir=$(srcdir) PATH=$(abs_builddir):$$PATH $(BATS) $(addprefix $(srcdir)/,$(command_tests))
endif
# Commands on this machine, by bats; run by scripts/check (they need root, munged and huge pages, and skip without).
EXTRA_DIST += tests/cli/node.bash tests/cli/node.bats tests/cli/node_kills.bats tests/cli/report.bats
