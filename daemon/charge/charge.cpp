#include "daemon/charge/charge.hpp"

#include <chrono>

#include "base/fill_memory.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "daemon/charge/charge_exit.hpp"

namespace mscale::daemon {

namespace {

constexpr std::chrono::milliseconds least_patience{10000};
constexpr std::uint64_t least_rate = 64 << 20; // bytes a second, on the slowest machine; beyond, the job's cgroup is frozen

std::string name_of_job(const recovery::Owner& owner)
{
    return format("job {} rank {}", owner.job_id, owner.rank);
}

tl::unexpected<Error> tell_full(const JobCgroup& cgroup, const std::string& why, std::uint64_t bytes)
{
    const auto memory = read_job_memory(cgroup).value_or(JobMemory{});
    return failure(Code::snapshot_room,
                   format("{} for snapshots don't fit the job's memory of {} on this node, of which {} are used: {}",
                          format_bytes(bytes), format_bytes(memory.limit_bytes), format_bytes(memory.used_bytes), why),
                   std::string(recovery::more_job_memory));
}

} // namespace

void Charge::set_node(const std::string& node)
{
    const std::scoped_lock lock(mutex_);
    node_ = node;
}

std::optional<JobCgroup> Charge::find(std::uint32_t job_id, uid_t uid) const
{
    if (program_.empty()) return std::nullopt;
    const std::scoped_lock lock(mutex_);
    return find_job_cgroup({node_, job_id, uid});
}

Result<void> Charge::reserve(const recovery::Owner& owner, int descriptor, std::uint64_t bytes)
{
    const auto cgroup = find(owner.job_id, owner.uid);
    if (!cgroup) return fill_memory(descriptor, 0, bytes);
    remember(owner.job_id, *cgroup);
    const auto patience = least_patience + std::chrono::milliseconds(bytes / least_rate * 1000);
    const auto outcome =
        run_process({program_, cgroup->directory, cgroup->unified ? "v2" : "v1", std::to_string(bytes)}, {}, "", patience,
                    default_death_limit, {descriptor});
    if (outcome && outcome->status == 0) return {};
    const std::string why = !outcome             ? outcome.error().text
                            : outcome->timed_out ? format("{} didn't end in time", program_)
                            : outcome->diagnostics.empty() ? format("{} ended with {}", program_, outcome->status)
                                                           : std::string(trim(outcome->diagnostics));
    const bool touched = outcome && outcome->status != static_cast<int>(ChargeExit::outside);
    if (touched) return tell_full(*cgroup, why, bytes);
    log_line(Level::error, format("{}: its snapshots aren't charged to the job: {}", name_of_job(owner), why));
    return fill_memory(descriptor, 0, bytes);
}

void Charge::remember(std::uint32_t job_id, const JobCgroup& cgroup)
{
    const std::scoped_lock lock(mutex_);
    entered_.insert_or_assign(job_id, cgroup);
}

std::optional<JobMemory> Charge::limit_of(std::uint32_t job_id, uid_t uid) const
{
    const auto cgroup = find(job_id, uid);
    return cgroup ? read_job_memory(*cgroup) : std::nullopt;
}

std::optional<std::uint64_t> Charge::charged_of(std::uint32_t job_id, uid_t uid) const
{
    const auto cgroup = find(job_id, uid);
    return cgroup ? std::optional(read_charged(*cgroup)) : std::nullopt;
}

void Charge::leave(std::uint32_t job_id, std::optional<uid_t> uid)
{
    std::unique_lock lock(mutex_);
    const auto entered = entered_.extract(job_id);
    lock.unlock();
    const auto cgroup = !entered.empty() ? std::optional(entered.mapped()) : uid ? find(job_id, *uid) : std::nullopt;
    if (cgroup) leave_job_cgroup(*cgroup);
}

} // namespace mscale::daemon
