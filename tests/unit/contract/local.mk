# tests/unit/contract
