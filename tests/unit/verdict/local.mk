# tests/unit/verdict
