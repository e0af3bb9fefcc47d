#include <algorithm>

#include "base/text.hpp"
#include "contract/clause_row.hpp"

namespace mscale::contract {
namespace {

constexpr std::uint64_t greatest_step = 1'000'000'000'000;
constexpr std::uint64_t greatest_job = 0x03FFFFFF; ///< MAX_JOB_ID of slurm.conf(5) is 67108863 at most
using SpillPath = Kind<read_spill_path, write_as_is>;

Result<void> set_every(Contract& contract, Role*, std::string_view text)
{
    Ft& ft = contract.ft;
    if (text.find_first_not_of("0123456789") == std::string_view::npos) {
        const auto steps = read_count(text, 1, greatest_step);
        if (!steps) return tl::unexpected(steps.error());
        ft.every_steps = *steps;
        ft.every_time.reset();
        return {};
    }
    const auto time = read_duration(text);
    if (!time) return tl::unexpected(time.error());
    ft.every_time = *time;
    ft.every_steps.reset();
    return {};
}

std::string write_every(const Contract& contract, const Role*)
{
    if (contract.ft.every_time) return write_duration(*contract.ft.every_time);
    return contract.ft.every_steps ? std::to_string(*contract.ft.every_steps) : "";
}

Result<void> set_recovery_point(Contract& contract, Role*, std::string_view text)
{
    constexpr std::string_view prefix = "step_";
    if (!text.starts_with(prefix))
        return failure(Code::bad_word, format("'{}' is no recovery point", printable(text)),
                       "write step_N, as in step_128");
    const auto steps = read_count(text.substr(prefix.size()), 1, greatest_step);
    if (!steps) return tl::unexpected(steps.error());
    return set_every(contract, nullptr, text.substr(prefix.size()));
}

/// ft.every says it.
std::string write_recovery_point(const Contract&, const Role*)
{
    return "";
}

struct Redundancy {
    static Result<std::string> read(std::string_view text)
    {
        if (text == "partner") return std::string(text);
        if (text.starts_with("xor:"))
            if (const auto group = read_count(text.substr(4), 2, 64)) return format("xor:{}", *group);
        if (const std::size_t plus = text.find('+');
            text.starts_with("rs:") && plus != std::string_view::npos) {
            const auto data = read_count(text.substr(3, plus - 3), 2, 64),
                       parity = read_count(text.substr(plus + 1), 1, 8);
            if (data && parity) return format("rs:{}+{}", *data, *parity);
        }
        return failure(Code::bad_word, format("'{}' is no redundancy", printable(text)),
                       "write partner, xor:N (N from 2 to 64) or rs:K+M (K from 2 to 64, M from 1 to 8)");
    }
    static std::string write(const std::string& redundancy) { return redundancy; }
};

/// What the beats of mscaled can notice.
struct DetectTime {
    static Result<std::chrono::milliseconds> read(std::string_view text)
    {
        const auto time = read_duration(text);
        if (!time || (*time >= least_detect && *time <= greatest_detect)) return time;
        return failure(Code::bad_duration,
                       format("a dead node can't be noticed within {}: the time is from {} to {}", write_duration(*time),
                              write_duration(least_detect), write_duration(greatest_detect)),
                       format("write {}", write_duration(std::clamp(*time, least_detect, greatest_detect))));
    }
    static std::string write(std::chrono::milliseconds time) { return write_duration(time); }
};

constexpr Clause ft_rows[] = {
    {"ft", "every", "STEPS | TIME", "128", "Training steps, or time, between snapshots.", Held::enforced,
     &set_every, &write_every},
    {"ft", "recovery_point", "step_N", "step_128", "The same as every = N.", Held::enforced,
     &set_recovery_point, &write_recovery_point},
    make_clause<Count<1, 8>, &Contract::ft, &Ft::copies>(
        Held::enforced, {"ft", "copies", "N", "1", "Copies of each snapshot on other nodes."}),
    make_clause<Count<0, 1024>, &Contract::ft, &Ft::spares>(
        Held::enforced, {"ft", "spares", "N", "1",
                         "Nodes kept in the allocation for the case that one dies; the job isn't killed "
                         "then. Batch jobs only."}),
    make_clause<Size, &Contract::ft, &Ft::state>(
        Held::enforced, {"ft", "state", "SIZE", "8GiB",
                       "The state of each rank; where given, memory and grace are checked at submit."}),
    make_clause<Duration, &Contract::ft, &Ft::step_time>(
        Held::stated,
        {"ft", "step_time", "TIME", "2s", "How long a step takes, for the check of grace periods."}),
    make_clause<SpillPath, &Contract::ft, &Ft::spill>(
        Held::enforced,
        {"ft", "spill", "PATH", "/scratch/%u/%j",
         "A directory, best on a file system of all nodes, where the last snapshot is written when the job leaves "
         "its nodes unfinished: an absolute path; %u is the user, %j the job."}),
    make_clause<Count<1, 1000000>, &Contract::ft, &Ft::spill_every>(
        Held::enforced, {"ft", "spill_every", "N", "10",
                         "Each N-th snapshot is written there, too, while the job runs; the newest two stay."}),
    make_clause<Redundancy, &Contract::ft, &Ft::redundancy>(
        Held::enforced,
        {"ft", "redundancy", "partner | xor:N | rs:K+M", "xor:4",
         "How snapshots survive the loss of nodes. partner, which is meant where nothing is said: whole copies, as many as "
         "ft.copies. xor:N: ranks in groups of at least N, no two on one node, of which any one may be lost; beside its own "
         "snapshot each keeps 1/(N-1) as much. rs:K+M: groups of at least K+M, of which any M may be lost, for M/K as much. "
         "Whole copies beside these only where ft.copies is given."}),
    make_clause<Count<1, greatest_job, std::uint64_t>, &Contract::ft, &Ft::resume>(
        Held::enforced,
        {"ft", "resume", "JOBID", "4711",
         "The job of the same user whose last snapshot this one goes on from, in memory or in the directory of "
         "ft.spill; where there is none it is refused."}),
    make_clause<DetectTime, &Contract::ft, &Ft::detect>(
        Held::enforced,
        {"ft", "detect", "TIME", "600ms", "The time within which a dead node must be noticed, 150ms to 1h."}),
    make_clause<Duration, &Contract::ft, &Ft::first_save>(
        Held::enforced, {"ft", "first_save", "TIME", "10min",
                         "The time within which each rank must have registered state and saved it once; "
                         "10min where it isn't given."}),
};

} // namespace

std::span<const Clause> ft_clauses()
{
    return ft_rows;
}

} // namespace mscale::contract
