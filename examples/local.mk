# examples
EXTRA_DIST += \
  examples/digits/README.md \
  examples/digits/data.py \
  examples/digits/model.py \
  examples/digits/staging.py \
  examples/digits/train.py \
  examples/digits/train.sbatch \
  examples/hgx-h100.json
# The example in C, as the tests run it.
check_PROGRAMS += examples/heat
examples_heat_SOURCES = examples/heat.c
examples_heat_CPPFLAGS = -I$(top_srcdir)/include -D_POSIX_C_SOURCE=200809L
examples_heat_LDADD = libmscale.la
# The example of a run that another number of ranks goes on with.
check_PROGRAMS += examples/rods
examples_rods_SOURCES = examples/rods.c
examples_rods_CPPFLAGS = -I$(top_srcdir)/include -D_POSIX_C_SOURCE=200809L
examples_rods_LDADD = libmscale.la
