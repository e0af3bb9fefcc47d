# tests/unit/submit
