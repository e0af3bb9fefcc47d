#include "submit/ways_back.hpp"

#include "base/text.hpp"
#include "contract/last_snapshot.hpp"

namespace mscale::submit {

namespace {

using contract::LastSnapshot;
using std::chrono::seconds;

/// What a requeued job finds of its snapshots; the memory of the nodes that it left is the site's to give.
std::string tell_requeue(const contract::Ft& ft, const contract::Site& site)
{
    if (ft.spill || site.held_memory > 0) return "a requeue";
    return "none: a requeued job finds no snapshot (MSC-R005), since the site keeps none in memory ([recovery] held_memory); give "
           "ft.spill=DIRECTORY";
}

std::string tell_loss_of_node(const JobRequest& job, const contract::Ft& ft, const contract::Site& site)
{
    const std::string begin = "mscale: way back after the loss of a node: ";
    if (!job.has_script) return begin + "none; only a batch job (sbatch) is run again";
    if (ft.spares.value_or(0) == 0)
        return format("{}{}; with ft.spares and `mscale run` in the script it goes on in the same allocation", begin,
                      tell_requeue(ft, site));
    return format("{}`mscale run` in the script goes on with {} spare node{}; without it, or when the spares are gone, {}",
                  begin, *ft.spares, *ft.spares == 1 ? "" : "s", tell_requeue(ft, site));
}

std::string tell_files(const contract::Ft& ft)
{
    const std::string when = !ft.spill_every       ? "only the last snapshot, when it leaves its nodes unfinished"
                             : *ft.spill_every == 1 ? "each snapshot"
                                                    : format("one in {} snapshots, and the last when it leaves its nodes "
                                                             "unfinished",
                                                             *ft.spill_every);
    return format("mscale: way back after the loss of all its nodes: ft.resume=JOBID goes on from its files in {}: {}", *ft.spill,
                  when);
}

std::string tell_short_grace(const LastSnapshot& needed, const std::string& what, seconds grace)
{
    return format("mscale: {} leaves {:.1f} s, and {}: the steps since the last snapshot would be lost; make ft.every shorter, "
                  "or let the notice come earlier (--signal, GraceTime)",
                  what, static_cast<double>(grace.count()), describe(needed));
}

/// PreemptMode=CANCEL takes no notice of --requeue.  The ranks have the notice at the begin of GraceTime, and are killed KillWait
/// after its end.
void tell_preemption(const hal::PartitionEntry& partition, const std::optional<LastSnapshot>& needed,
                     std::vector<std::string>& lines)
{
    if (partition.preemption == "cancel")
        lines.push_back(format("mscale: partition {} cancels the jobs that it preempts (PreemptMode=CANCEL): no requeue "
                               "brings this one back then; use another partition",
                               partition.name));
    if (!ends_preempted(partition) || !needed || !partition.grace) return;
    if (const seconds grace(*partition.grace + partition.kill_wait.value_or(0)); needed->together() > grace)
        lines.push_back(tell_short_grace(
            *needed, format("a preemption in partition {} (GraceTime and KillWait)", partition.name), grace));
}

void tell_time_limit(const JobRequest& job, const hal::PartitionEntry& partition,
                     const std::optional<LastSnapshot>& needed, std::vector<std::string>& lines)
{
    if (!needed || (!job.warning && !partition.kill_wait)) return;
    const seconds grace(job.warning ? *job.warning : *partition.kill_wait);
    if (needed->together() > grace)
        lines.push_back(tell_short_grace(
            *needed, job.warning ? "--signal before the time limit" : "the time limit or a requeue (KillWait)", grace));
}

} // namespace

bool ends_preempted(const hal::PartitionEntry& partition)
{
    return partition.preemption == "cancel" || partition.preemption == "requeue";
}

std::vector<std::string> tell_ways_back(const JobRequest& job, const contract::Ft& ft, unsigned ranks_per_node,
                                        const contract::Site& site,
                                        const std::vector<const hal::PartitionEntry*>& partitions)
{
    std::vector<std::string> lines = {tell_loss_of_node(job, ft, site)};
    if (ft.spill) lines.push_back(tell_files(ft));
    const auto needed = estimate_last_snapshot(ft, ranks_per_node, site.recovery_rate);
    for (const hal::PartitionEntry* partition : partitions) tell_preemption(*partition, needed, lines);
    if (!partitions.empty()) tell_time_limit(job, *partitions.front(), needed, lines);
    return lines;
}

} // namespace mscale::submit
