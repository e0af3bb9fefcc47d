#pragma once

#include <string>
#include <vector>

#include "base/files.hpp"
#include "hal/machine.hpp"

namespace mscale::hal {

/// The pools below `directory` (…/node0/hugepages, or /sys/kernel/mm/hugepages for all nodes together), by
/// page size.
std::vector<HugePagePool> read_huge_pages(const Root& root, const std::string& directory);

/// Takes the pages that mounts have reserved, which the kernel counts only for all nodes together, off the
/// free ones of every node: a promise must not count on a page that may be taken.  Notes it where there are
/// several nodes.
void subtract_reserved_pages(const Root& root, Machine& machine);

} // namespace mscale::hal
