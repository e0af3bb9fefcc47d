# Unit tests: one Check program a folder; its sentences stand in the files beside its local.mk.
include tests/unit/base/local.mk
include tests/unit/hal/local.mk
include tests/unit/contract/local.mk
include tests/unit/verdict/local.mk
include tests/unit/slicing/local.mk
include tests/unit/recovery/local.mk
include tests/unit/library/local.mk
include tests/unit/node/local.mk
include tests/unit/daemon/local.mk
include tests/unit/failure/local.mk
include tests/unit/keeper/local.mk
include tests/unit/spill/local.mk
include tests/unit/transport/local.mk
include tests/unit/spank/local.mk
include tests/unit/submit/local.mk
include tests/unit/cli/local.mk
include tests/cli/local.mk
include tests/cluster/local.mk
include tests/guest/local.mk
include tests/python/local.mk
include tests/doubles/local.mk
include tests/doubles/keeper/local.mk
include tests/fuzz/local.mk
# The public cases and models that the tests read, and the checks of the tree itself.
EXTRA_DIST += tests/fixtures tests/floors.sh tests/style.sh

# The unit tests' programs and what these start, without the rest of the product.
.PHONY: unit-tests
unit-tests: $(filter tests/unit/%,$(check_PROGRAMS))

# What the tests of commands, of Python, on the cluster and in the guest run beside the product; the other unit tests are not
# among it.
.PHONY: test-parts
test-parts: $(filter-out tests/unit/%,$(check_PROGRAMS)) $(filter %/unit_transport,$(check_PROGRAMS)) \
  tests/unit/hal/print_machine $(check_LTLIBRARIES)
