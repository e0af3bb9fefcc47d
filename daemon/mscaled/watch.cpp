#include "daemon/mscaled/watch.hpp"

#include <linux/magic.h>
#include <sys/vfs.h>

#include "base/files.hpp"
#include "base/text.hpp"
#include "hal/presence.hpp"

namespace mscale::daemon {

namespace {

std::uint64_t held_by(const std::vector<contract::PagePlan>& others, const contract::PagePlan& pages)
{
    std::uint64_t count = 0;
    for (const contract::PagePlan& other : others) {
        if (other.page_bytes == pages.page_bytes && other.numa == pages.numa) count += other.count;
    }
    return count;
}

PageFinding find_node_pages(const contract::PagePlan& pages, const std::vector<contract::PagePlan>& others)
{
    const std::uint64_t found = count_pages(pages.page_bytes, pages.numa);
    const std::uint64_t held = held_by(others, pages);
    return {pages.page_bytes, pages.numa, {}, pages.count, found > held ? found - held : 0};
}

std::uint64_t planned_pages(const contract::Plan& plan, std::uint64_t page_bytes)
{
    std::uint64_t count = 0;
    for (const contract::PagePlan& pages : plan.pages) {
        if (pages.page_bytes == page_bytes) count += pages.count;
    }
    return count;
}

std::string read_device(const Root& root, const Part& part)
{
    constexpr const char* gone = "absent";
    if (part.kind == PartKind::disk) {
        const auto [name, serial] = split_disk(part.name);
        return hal::has_disk(root, name, serial) ? "" : gone;
    }
    const std::string state = hal::read_port_state(root, part.name);
    if (state.empty()) return gone;
    return state == "ACTIVE" ? "" : state;
}

} // namespace

std::vector<PartFinding> read_parts(const Root& root, const std::vector<Part>& parts, const GpuFaults& faults)
{
    std::vector<PartFinding> findings;
    for (const Part& part : parts) {
        const bool is_read = part.kind == PartKind::port || part.kind == PartKind::disk;
        const auto fault = part.kind == PartKind::gpu ? faults.find(part.name) : faults.end();
        if (fault != faults.end())
            findings.push_back({part, fault->second, true});
        else
            findings.push_back({part, is_read ? read_device(root, part) : ""});
    }
    return findings;
}

std::uint64_t count_pages(std::uint64_t page_bytes, unsigned numa)
{
    const auto count = Root().read_number(format(
        "/sys/devices/system/node/node{}/hugepages/hugepages-{}kB/nr_hugepages", numa, page_bytes >> 10));
    return count && *count > 0 ? static_cast<std::uint64_t>(*count) : 0;
}

std::uint64_t count_mount_pages(const std::string& path, std::uint64_t page_bytes)
{
    struct statfs file_system {};
    if (statfs(path.c_str(), &file_system) != 0 || file_system.f_type != HUGETLBFS_MAGIC) return 0;
    if (static_cast<std::uint64_t>(file_system.f_bsize) != page_bytes) return 0;
    return file_system.f_blocks;
}

Findings read_findings(const contract::LedgerRecord& record, const std::vector<contract::TaskRecord>& tasks,
                       const std::vector<contract::PagePlan>& others)
{
    Findings findings;
    for (const contract::TaskRecord& task : tasks) {
        const bool alive = is_alive(task.process);
        findings.processes.push_back({task, alive ? read_threads(task.process.pid) : std::vector<Thread>{}});
    }
    for (const contract::PagePlan& pages : record.plan.pages)
        findings.pages.push_back(find_node_pages(pages, others));
    for (const contract::Act& act : record.acts) {
        if (act.kind != "mount") continue;
        findings.pages.push_back({act.page_bytes,
                                  {},
                                  act.path,
                                  planned_pages(record.plan, act.page_bytes),
                                  count_mount_pages(act.path, act.page_bytes)});
    }
    return findings;
}

} // namespace mscale::daemon
