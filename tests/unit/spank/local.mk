# tests/unit/spank
