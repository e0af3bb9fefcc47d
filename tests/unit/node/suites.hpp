#pragma once

#include "tests/unit/check.hpp"

/// What mscale-node does to ledgers and counts, on a directory of its own.
Suite* acts_suite();
