#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "contract/ledger.hpp"
#include "daemon/mscaled/findings.hpp"

namespace mscale::daemon {

/// Reads what the machine holds of a job's promise now: the affinity of every thread of its recorded
/// processes, the huge pages of its NUMA nodes and of its mounts.  `others` are the pages that older jobs
/// hold on this node. Cheap (procfs and sysfs only); doesn't block.
Findings read_findings(const contract::LedgerRecord& record, const std::vector<contract::TaskRecord>& tasks,
                       const std::vector<contract::PagePlan>& others);

/// What is known of failed GPUs, by PCI address: "Xid 79".
using GpuFaults = std::map<std::string, std::string>;

/// Each part as the kernel has it now.  Cheap (sysfs only); doesn't block.
std::vector<PartFinding> read_parts(const Root& root, const std::vector<Part>& parts, const GpuFaults& faults);

/// The number of pages that the kernel has of this size on this NUMA node; 0 when it says nothing.
std::uint64_t count_pages(std::uint64_t page_bytes, unsigned numa);

/// How many pages of `page_bytes` the hugetlbfs at `path` may hold; 0 when none is mounted there.
std::uint64_t count_mount_pages(const std::string& path, std::uint64_t page_bytes);

} // namespace mscale::daemon
