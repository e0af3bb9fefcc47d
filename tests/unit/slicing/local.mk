# tests/unit/slicing
