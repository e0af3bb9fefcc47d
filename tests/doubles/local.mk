# tests/doubles
