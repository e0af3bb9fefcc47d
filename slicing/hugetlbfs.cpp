#include "slicing/hugetlbfs.hpp"

#include <algorithm>

#include <sys/mount.h>
#include <unistd.h>

#include "base/files.hpp"
#include "base/text.hpp"

namespace mscale::slicing {
namespace {

tl::unexpected<Error> mount_failure(const HugeMount& mount, int error_number)
{
    if (error_number == ENOMEM)
        return failure(Code::apply_hugepages, format("the kernel can't reserve {} huge pages of {}",
                                                     mount.count, format_bytes(mount.page_bytes)));
    return os_failure(Code::apply_mount, "mount hugetlbfs on " + mount.path, error_number);
}

/// A path may be mounted more than once when an earlier run was killed.
Result<void> unmount_all(const std::string& path)
{
    for (;;) {
        if (::umount2(path.c_str(), UMOUNT_NOFOLLOW) == 0) continue;
        if (errno == EINVAL || errno == ENOENT) return {};
        if (errno == EBUSY && ::umount2(path.c_str(), UMOUNT_NOFOLLOW | MNT_DETACH) == 0) continue;
        return os_failure(Code::release_incomplete, "unmount " + path, errno);
    }
}

Result<void> remove_directory(const std::string& path)
{
    if (::rmdir(path.c_str()) == 0 || errno == ENOENT) return {};
    return os_failure(Code::release_incomplete, "remove " + path, errno);
}

} // namespace

std::string huge_directory(const std::string& state, std::uint32_t job_id)
{
    return format("{}/huge/{}", state, job_id);
}

std::string huge_mount_path(const std::string& state, std::uint32_t job_id, std::uint64_t page_bytes)
{
    return format("{}/{}kB", huge_directory(state, job_id), page_bytes >> 10);
}

Result<void> mount_huge_pages(const HugeMount& mount)
{
    if (const auto made = make_directories(mount.path, 0755); !made)
        return failure(Code::apply_mount, made.error().text);
    const std::uint64_t bytes = mount.count * mount.page_bytes;
    const std::string options = format("pagesize={}K,size={},min_size={},uid={},gid={},mode=0700",
                                       mount.page_bytes >> 10, bytes, bytes, mount.uid, mount.gid);
    if (::mount("mscale", mount.path.c_str(), "hugetlbfs", MS_NOSUID | MS_NODEV, options.c_str()) != 0)
        return mount_failure(mount, errno);
    return {};
}

Result<void> unmount_huge_page_mount(const std::string& path)
{
    return unmount_all(path).and_then([&] { return remove_directory(path); });
}

Result<void> unmount_huge_pages(const std::string& state, std::uint32_t job_id)
{
    const std::string directory = huge_directory(state, job_id);
    Result<void> done;
    for (const std::string& name : Root().list(directory).value_or(std::vector<std::string>())) {
        const auto gone = unmount_huge_page_mount(directory + "/" + name);
        if (!gone) done = gone;
    }
    if (!done) return done;
    return remove_directory(directory);
}

std::vector<std::uint32_t> list_huge_directories(const std::string& state)
{
    std::vector<std::uint32_t> jobs;
    for (const std::string& name : Root().list(state + "/huge").value_or(std::vector<std::string>())) {
        const auto job_id = parse_number(name);
        if (job_id && *job_id <= UINT32_MAX) jobs.push_back(static_cast<std::uint32_t>(*job_id));
    }
    return jobs;
}

} // namespace mscale::slicing
