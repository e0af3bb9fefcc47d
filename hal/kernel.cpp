#include "hal/kernel.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/handle.hpp"
#include "base/text.hpp"
#include "hal/huge_pages.hpp"
#include "hal/sysfs.hpp"

namespace mscale::hal {
namespace {

/// The beginning of /proc/cpuinfo: the whole file of a large machine is megabytes, and each CPU costs the
/// kernel time.
std::string read_beginning(const Root& root, const std::string& path)
{
    const Fd file(::open(root.locate(path).c_str(), O_RDONLY | O_CLOEXEC));
    std::string text(16384, '\0');
    const ssize_t length = file ? ::read(file.number(), text.data(), text.size()) : 0;
    text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    return text;
}

/// The flags of the first CPU: "flags" on x86, "Features" on Arm.
std::vector<std::string> read_cpu_flags(const Root& root)
{
    const std::string text = read_beginning(root, "/proc/cpuinfo");
    std::vector<std::string> flags;
    for (const std::string_view line : split(text, '\n')) {
        if (!line.starts_with("flags") && !line.starts_with("Features")) continue;
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        for (const std::string_view word : split(trim(line.substr(colon + 1)), ' '))
            if (!word.empty()) flags.emplace_back(word);
        break;
    }
    std::sort(flags.begin(), flags.end());
    return flags;
}

unsigned read_cgroup_version(const Root& root)
{
    if (root.exists("/sys/fs/cgroup/cgroup.controllers")) return 2;
    return root.exists("/sys/fs/cgroup/cpuset") || root.exists("/sys/fs/cgroup/memory") ? 1 : 0;
}

} // namespace

Kernel read_kernel(const Root& root)
{
    Kernel kernel;
    kernel.release = read_text(root, "/proc/sys/kernel/osrelease");
    kernel.cgroup_version = read_cgroup_version(root);
    for (const HugePagePool& pool : read_huge_pages(root, "/sys/kernel/mm/hugepages"))
        kernel.huge_page_sizes.push_back(pool.page_bytes);
    kernel.io_uring_disabled = read_unsigned(root, "/proc/sys/kernel/io_uring_disabled");
    kernel.btf = root.exists("/sys/kernel/btf/vmlinux");
    kernel.cpu_flags = read_cpu_flags(root);
    return kernel;
}

} // namespace mscale::hal
