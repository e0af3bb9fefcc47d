# tests/cluster
