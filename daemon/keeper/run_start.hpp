#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "daemon/keeper/carrier.hpp"
#include "daemon/keeper/keepers.hpp"
#include "daemon/keeper/messages.hpp"

namespace mscale::daemon {

/// What a rank goes on from.
struct RestorePoint {
    unsigned slot = 0; ///< of its segment, verified
    std::uint64_t epoch = 0;
    std::uint64_t step = 0;
    std::uint32_t job_id = 0; ///< whose snapshot it is: that of ft.resume, or the job's own
    /// Where another number of ranks wrote it: what they wrote.  The rank takes its part of it by `read`, and the slot is where
    /// that is put.
    std::optional<recovery::CommitRecord> apart = {};
};

/// The start of one run of a job on this node: brings each local rank its snapshot and lets the programs go when every rank
/// of the job has its own.  Lives on the loop.
class RunStart : public std::enable_shared_from_this<RunStart> {
public:
    /// Called once for each rank: where to go on, nothing to start from the beginning, or why it must not start.
    using Started = std::function<void(const Result<std::optional<RestorePoint>>&)>;

    struct Run {
        std::uint32_t job_id = 0;
        recovery::Incarnation incarnation;
        std::uint32_t ranks = 0;
        bool operator==(const Run&) const = default;
    };
    /// `place` is where the files of the job's ft.spill lie, if it has one.
    RunStart(Loop& loop, Keepers& keepers, Carrier& carrier, const Run& run, std::optional<SpillPlace> place);

    /// A rank of this run joins, and its memory is being reserved: lets the coordinator look for what there is meanwhile.
    void look_ahead();
    /// A rank of this run has joined here.  `elastic`: its program can take its part of what another number of ranks wrote.
    void add(std::shared_ptr<HeldSegment> own, bool elastic, Started started);
    using Read = std::function<void(const Result<void>&)>;
    /// A rank asks for a piece of what rank `request.owner.rank` wrote; it is put into its slot.  save_order unless it has such
    /// a snapshot to go on from and hasn't taken or rejected it yet, and while the piece before is on its way.
    void read(std::uint32_t rank, recovery::PieceRequest request, Read done);
    /// The program of a rank has taken the epoch that it was given back, or can't use it.  Called when all ranks have taken
    /// theirs, with that epoch, or with the one to go on from instead.
    void confirm(std::uint32_t rank, std::uint64_t epoch, Started started);
    void reject(std::uint32_t rank, std::uint64_t epoch, Started started);
    const Run& run() const { return run_; }
    /// True when all ranks that joined have been let go.
    bool idle() const;

private:
    struct Rank {
        std::shared_ptr<HeldSegment> own;
        Started started;                    ///< empty once it was called
        std::optional<std::uint64_t> ready; ///< epoch that is verified here; 0: nothing to restore
        RestorePoint point;
        std::optional<std::uint64_t> confirmed; ///< epoch that its program has taken back
        bool busy = false;                      ///< its snapshot is being brought
        bool elastic = false;
        bool reading = false; ///< a piece is on its way to it
    };

    void poll();
    void ask();
    void take(const Result<Json>& answer);
    void act(const RestoreAnswer& answer);
    void bring(std::uint32_t number, Rank& rank, const RestoreAnswer& answer);
    void report_damage(std::uint32_t number, const std::vector<Carrier::Brought::Unusable>& unusable);
    void offer_parts(Rank& rank, const recovery::CommitRecord& record) const;
    bool may_read(std::uint32_t number, const recovery::PieceRequest& request) const;
    void on_brought(std::uint32_t number, const recovery::CommitRecord& record,
                    const Result<Carrier::Brought>& brought);
    void let_go(std::uint64_t epoch, bool settled);
    void refuse(const Error& error);

    Loop& loop_;
    Keepers& keepers_;
    Carrier& carrier_;
    Run run_;
    std::optional<SpillPlace> place_;
    std::chrono::steady_clock::time_point began_;
    std::map<std::uint32_t, Rank> ranks_;
    std::vector<RestoreState::Failed> failed_; // not yet told
    std::vector<std::uint64_t> rejected_;      // not yet told
    bool asking_ = false;
    std::optional<RestoreAnswer> apart_; // the choice, where another number of ranks wrote it
};

} // namespace mscale::daemon
