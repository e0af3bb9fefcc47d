#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "recovery/choice.hpp"

namespace mscale::recovery {

/// The start of one run of a job: which snapshot it goes on from, and when every rank has it.  No rank starts before all
/// have verified the same epoch, since a copy that turns out to be damaged moves the whole job to another copy or an
/// older epoch.  On the node that writes the job's state.  Pure.
class RestoreRound {
public:
    RestoreRound(const Incarnation& incarnation, std::uint32_t ranks)
        : incarnation_(incarnation), ranks_(ranks)
    {
    }

    /// What the live nodes hold; makes the first choice.
    void offer(std::vector<CommitRecord> records, std::vector<HeldCopy> copies);
    bool offered() const { return offered_; }

    /// Rank `rank` has verified `epoch` (0: it knows that there is none).  An epoch that is no longer chosen is ignored.
    void ready(std::uint32_t rank, std::uint64_t epoch);
    /// The copy of `rank` on `node`, in its memory or as it saw it in a spill, can't be used: the choice is made again without it.
    void drop_copy(std::uint32_t rank, std::uint64_t epoch, const std::string& node, Tier tier = Tier::memory);
    /// The program of rank `rank` has taken `epoch` back into its own memory.
    void confirm(std::uint32_t rank, std::uint64_t epoch);
    /// The program of a rank can't use the epoch: the choice is made again without it.
    void reject(std::uint64_t epoch);

    /// What to go on from; nothing when no epoch was ever committed; no_snapshot when none is left.
    const Result<std::optional<RestoreChoice>>& choice() const { return choice_; }
    /// True when every rank is ready.
    bool go() const { return offered_ && choice_.has_value() && ready_.size() == ranks_; }
    /// True when every program has the same state back: now the training may go on.
    bool settled() const { return go() && confirmed_.size() == ranks_; }
    /// The ranks that haven't said that they are ready.
    std::vector<std::uint32_t> missing() const;

    const Incarnation& incarnation() const { return incarnation_; }
    std::uint32_t ranks() const { return ranks_; }

private:
    void choose();
    std::uint64_t chosen_epoch() const;

    Incarnation incarnation_;
    std::uint32_t ranks_;
    bool offered_ = false;
    std::vector<CommitRecord> records_;
    std::vector<HeldCopy> copies_;
    std::set<std::uint32_t> ready_, confirmed_;
    Result<std::optional<RestoreChoice>> choice_;
};

} // namespace mscale::recovery
