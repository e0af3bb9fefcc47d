#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/error.hpp"

namespace mscale::slicing {

/// One hugetlbfs of a job.
struct HugeMount {
    std::string path;
    std::uint64_t page_bytes = 0;
    std::uint64_t count = 0; ///< pages: reserved at once (min_size), and no more than these (size)
    uid_t uid = 0;
    gid_t gid = 0;
};

/// STATE/huge/JOBID: holds the job's mounts, one for each page size.
std::string huge_directory(const std::string& state, std::uint32_t job_id);
/// STATE/huge/JOBID/2048kB
std::string huge_mount_path(const std::string& state, std::uint32_t job_id, std::uint64_t page_bytes);

/// Makes the directories and mounts: mode 0700, the job's.  apply_hugepages when the kernel can't reserve the
/// pages.
Result<void> mount_huge_pages(const HugeMount& mount);

/// Unmounts one such mount and removes its directory; one in use is detached.  Nothing there is fine.
Result<void> unmount_huge_page_mount(const std::string& path);

/// Unmounts all below the job's directory and removes it.  What is still in use is detached: it goes with its
/// last user. Nothing there is fine.
Result<void> unmount_huge_pages(const std::string& state, std::uint32_t job_id);

/// Jobs that have such a directory.
std::vector<std::uint32_t> list_huge_directories(const std::string& state);

} // namespace mscale::slicing
