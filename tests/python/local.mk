# The Python package with Debian's python3 and PyTorch, at a double of the keeper: tests/python/run.
python_tests = tests/python/test_container.py tests/python/test_context.py tests/python/test_contract.py tests/python/test_digits.py tests/python/test_elastic.py tests/python/test_encoding.py \
  tests/python/test_heat.py tests/python/test_loader.py tests/python/test_reader.py tests/python/test_restart.py tests/python/test_role.py tests/python/test_torchrun.py
EXTRA_DIST += tests/python/run tests/python/double.py tests/python/save_often.py tests/python/train.py tests/python/train_elastic.py tests/python/train_ranks.py $(python_tests)
