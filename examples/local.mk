# examples
EXTRA_DIST += \
  examples/digits/README.md \
  examples/digits/data.py \
  examples/digits/model.py \
  examples/digits/staging.py \
  examples/digits/train.py \
  examples/digits/train.sbatch
