# tests/unit/base
