#pragma once

#include <cstdint>

#include "base/error.hpp"

namespace mscale {

/// Gives a range of a memfd its pages: huge ones, as far as whole ones fit, where the kernel grants them to shared memory that
/// asks (/sys/kernel/mm/transparent_hugepage/shmem_enabled; Documentation/admin-guide/mm/transhuge.rst), else small ones.
/// They are charged to the cgroup of the caller.  The file must reach over the range already, and `at` be a multiple of a huge
/// page for huge ones to come.  snapshot_room when there is no memory.
Result<void> fill_memory(int descriptor, std::uint64_t at, std::uint64_t bytes);

/// The size of the huge pages that shared memory may ask for; 0: none.
std::uint64_t granted_huge_page();

} // namespace mscale
