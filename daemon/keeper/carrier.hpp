#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/coding/piece_streams.hpp"
#include "daemon/keeper/keepers.hpp"
#include "daemon/keeper/segment_store.hpp"
#include "daemon/mscaled/worker.hpp"
#include "daemon/spill/spill.hpp"
#include "recovery/commit.hpp"
#include "recovery/frame_stream.hpp"
#include "recovery/rebuild_plan.hpp"
#include "recovery/timing.hpp"

namespace mscale::daemon {

/// Carries snapshots between this node and others, on threads of its own: copies go out on one, what a run needs comes in on
/// another, so that a start never waits behind a save.  Its members are called on the loop.
class Carrier {
public:
    /// Whether there is room for another segment with slots of so many bytes; called from any thread.
    using Admit = std::function<Result<void>(std::uint64_t room)>;
    Carrier(Loop& loop, const recovery::Introduction& introduction, const recovery::Timing& timing, const Spill& spill,
            SegmentStore& store, Admit admit);

    /// What became of a copy: the nodes that hold it now, and why the others don't.
    struct Copied {
        recovery::SlotHeader header;
        std::vector<std::string> held_by;
        std::vector<Error> failures;
    };
    /// Copies what a rank has sealed in `slot` to each partner.  An error when the slot holds no whole snapshot of `epoch`.
    void copy_out(std::shared_ptr<HeldSegment> own, unsigned slot, std::uint64_t epoch,
                  std::vector<KeeperAddress> partners, std::function<void(const Result<Copied>&)> done);

    /// Where a rank's snapshot may come from.
    struct Sources {
        std::string self;                      ///< this node
        std::vector<KeeperAddress> nodes;      ///< that have it in memory
        std::vector<std::string> spilled;      ///< that saw its file
        std::optional<SpillPlace> place = {};  ///< where this node looks for that file
        std::optional<recovery::RebuildPlan> rebuild = {};  ///< how to make it of its group's parts
        std::vector<KeeperAddress> group = {};              ///< of the nodes in that plan
        bool held_here = false;                ///< this node is one of those that have it in memory
    };
    /// Verifies the snapshot of `record` where it lies in `own`, else fetches it from the first node that gives it whole, else
    /// makes it of its group's parts, else reads its file.
    struct Brought {
        struct Unusable {
            std::uint32_t rank = 0; ///< whose; another one of the group where a part of it can't be used
            std::string node; ///< this one where `own` itself was tried
            recovery::Tier tier = recovery::Tier::memory;
            Error why;
        };
        std::optional<unsigned> slot; ///< of `own`, where it lies verified; nothing when no source had it
        std::vector<Unusable> unusable;
    };
    void bring_in(std::shared_ptr<HeldSegment> own, const recovery::CommitRecord& record, Sources sources,
                  std::function<void(const Result<Brought>&)> done);

    /// Whether a piece came from anywhere, and the copies that turned out to be damaged on the way.
    struct PieceRead {
        Result<void> read;
        std::vector<Brought::Unusable> unusable = {};
    };
    /// Puts a piece of a snapshot at the begin of the data of `slot` of `into`, from this node's memory where it holds the
    /// snapshot, else from the first node that gives the piece, else out of what its group's parts make of it, which is then
    /// held as a copy, else out of its file.  Its bytes are those that were saved as
    /// far as the other side can tell: whoever uses them compares whole chunks, manifest and header with their checksums.
    void read_piece(std::shared_ptr<HeldSegment> into, unsigned slot, const recovery::PieceRequest& request,
                    const recovery::CommitRecord& record, Sources sources, std::function<void(const PieceRead&)> done);

private:
    using Terms = std::optional<recovery::VerbsTerms>;

    /// A new connection, whose data go by RDMA when `terms` ask for it and it can be had; else in frames, and the log says why.
    Result<recovery::FrameStream> connect(const KeeperAddress& keeper, const Terms& terms);
    Result<recovery::FrameStream*> stream_to(const KeeperAddress& partner, const Terms& terms);
    bool may_use_rdma(const std::string& node);
    /// RDMA with the node has failed: it isn't tried for a while.
    void give_up_rdma(const std::string& node, const Error& error);
    Result<void> send_to(const KeeperAddress& partner, const HeldSegment& own, unsigned slot,
                         const recovery::SealedSlot& sealed);
    Result<Copied> copy(const HeldSegment& own, unsigned slot, std::uint64_t epoch,
                        const std::vector<KeeperAddress>& partners);
    Brought bring(HeldSegment& own, const recovery::CommitRecord& record, const Sources& sources);
    Result<unsigned> fetch(HeldSegment& own, const recovery::CommitRecord& record,
                           const KeeperAddress& source);
    void rebuild(HeldSegment& own, const recovery::CommitRecord& record, const Sources& sources, Brought& brought);
    PieceRead read_from_any(const HeldSegment& into, unsigned slot, const recovery::PieceRequest& request,
                               const recovery::CommitRecord& record, const Sources& sources);
    Result<void> read_from_file(const HeldSegment& into, unsigned slot, const recovery::PieceRequest& request,
                                const recovery::CommitRecord& record, const Sources& sources) const;
    Result<void> read_rebuilt(const recovery::PieceRequest& request, std::span<std::byte> place,
                              const recovery::CommitRecord& record, const Sources& sources);
    Result<void> hold_rebuilt(const recovery::Owner& owner, const recovery::CommitRecord& record, const Sources& sources);
    Result<unsigned> read_file(HeldSegment& own, const recovery::CommitRecord& record, const Sources& sources) const;

    const Spill& spill_;
    SegmentStore& store_;
    Admit admit_;
    recovery::Introduction introduction_;
    recovery::Timing timing_;
    std::mutex mutex_;                                                         // guards rdma_failed_
    std::map<std::string, std::chrono::steady_clock::time_point> rdma_failed_; // by node, when
    std::map<std::pair<std::string, Terms>, recovery::FrameStream> streams_;   // of the thread `out_` only
    PieceStreams pieces_;                                                      // of the thread `in_` only
    Worker out_, in_;
};

} // namespace mscale::daemon
