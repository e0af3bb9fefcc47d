# tests/unit/hal
