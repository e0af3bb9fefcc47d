#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/json_forward.hpp"
#include "recovery/slot.hpp"

namespace mscale::recovery {

inline constexpr std::uint32_t most_ranks = 1 << 20; ///< of one job; what a record may say

/// What makes an epoch a snapshot of the whole job: every rank's state of it is held as often as was
/// promised.  Kept by at least two nodes.
struct CommitRecord {
    std::uint32_t job_id = 0;
    Incarnation incarnation;
    std::uint32_t ranks = 0;
    std::uint64_t epoch = 0;
    std::uint64_t step = 0;
    bool operator==(const CommitRecord&) const = default;
};

/// Runs come before epochs: what a fenced run committed while its successor went on is older, however far it
/// counted.
bool is_newer(const CommitRecord& a, const CommitRecord& b);

/// Whose snapshot the record is of, for one rank of which job and user are known.
Owner owner_in(const CommitRecord& record, const Owner& rank);

Json to_json(const CommitRecord& record);
Result<CommitRecord> commit_from_json(const Json& json, const std::string& what);

/// The second phase of a save, on the node that writes the job's state: collects what the ranks' keepers have
/// prepared and says when an epoch is complete.  Pure; whoever takes over begins with the newest record and
/// asks the keepers again.
class CommitBook {
public:
    CommitBook(std::uint32_t job_id, std::uint32_t ranks) : job_id_(job_id), ranks_(ranks) {}

    /// Takes a record that another node kept; an older one changes nothing.
    void adopt(const CommitRecord& record);
    /// A new run takes over: what older ones prepared and didn't commit is void.  `ranks` may differ.
    void begin(const Incarnation& incarnation, std::uint32_t ranks);

    /// Rank `rank` holds `epoch`, taken at training step `step`, as often as promised.  The record when this
    /// completes the epoch.  fenced for an older run; save_order for one that hasn't begun, a rank out of
    /// range, or another step than that of the others.  A rank saves in order and has two slots: older epochs
    /// that it left out, or can hold no longer, are abandoned by this.
    Result<std::optional<CommitRecord>> prepare(const Incarnation& incarnation, std::uint32_t rank,
                                                std::uint64_t epoch, std::uint64_t step);

    /// Rank `rank` will never hold `epoch`.  When it is the newest that the rank has come to, `held` says which
    /// older ones it has sealed and may still prepare, when they have been copied: all others will never be.
    Result<void> skip(const Incarnation& incarnation, std::uint32_t rank, std::uint64_t epoch,
                      const std::set<std::uint64_t>& held);

    /// The newest committed epoch, or nothing.
    const std::optional<CommitRecord>& newest() const { return newest_; }
    /// The newest epoch of this run that some rank went on without and below which none can be committed any
    /// more, 0 for none: slots that hold it or an older one which isn't committed may be written again.
    std::uint64_t abandoned() const { return abandoned_; }

private:
    struct Round {
        std::uint64_t step = 0;
        std::set<std::uint32_t> prepared;
    };

    /// How far a rank has come: of the epochs up to `passed` it can still complete those in `held` only.
    struct Reached {
        std::uint64_t passed = 0;
        std::set<std::uint64_t> held;
    };

    Result<void> check(const Incarnation& incarnation, std::uint32_t rank, std::uint64_t epoch) const;
    bool is_closed(std::uint32_t rank, std::uint64_t epoch) const;
    bool is_alive(std::uint64_t epoch) const;
    std::set<std::uint64_t> list_open() const;
    void abandon();

    std::uint32_t job_id_;
    std::uint32_t ranks_;
    Incarnation incarnation_;
    std::uint64_t abandoned_ = 0;
    std::map<std::uint64_t, Round> rounds_; // by epoch; none older than the newest record
    std::map<std::uint32_t, Reached> reached_; // by rank
    std::optional<CommitRecord> newest_;
};

} // namespace mscale::recovery
