# tests/unit/daemon
