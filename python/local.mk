# The Python package: pure, for any interpreter; it loads libmscale.so when there is one.
pythonpackagedir = $(datadir)/mscale/python/mscale
dist_pythonpackage_DATA = \
  python/mscale/__init__.py \
  python/mscale/context.py \
  python/mscale/contract.py \
  python/mscale/decorator.py \
  python/mscale/elastic.py \
  python/mscale/encoding.py \
  python/mscale/errors.py \
  python/mscale/library.py \
  python/mscale/loader.py \
  python/mscale/reader.py \
  python/mscale/registry.py \
  python/mscale/rng.py \
  python/mscale/role.py
