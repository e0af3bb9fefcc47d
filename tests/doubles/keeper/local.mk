# A double of the keeper in mscaled, for the tests of the library and of Python without Slurm.
check_PROGRAMS += tests/doubles/keeper/keeper
tests_doubles_keeper_keeper_SOURCES = tests/doubles/keeper/main.cpp \
  tests/doubles/keeper/keeper.cpp tests/doubles/keeper/keeper.hpp
tests_doubles_keeper_keeper_LDADD = librecovery.la
