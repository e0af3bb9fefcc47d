#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "daemon/keeper/segment_memory.hpp"
#include "recovery/choice.hpp"
#include "recovery/coding.hpp"
#include "recovery/slot.hpp"
#include "recovery/transfer.hpp"
#include "recovery/verbs/verbs.hpp"

namespace mscale::daemon {

/// The memory of one rank on this node: its own, the copy of another node's, or the coded part beside its own.
struct HeldSegment {
    HeldSegment(const recovery::Owner& its_owner, SegmentMemory its_memory)
        : owner(its_owner), memory(std::move(its_memory))
    {
    }

    std::mutex mutex; ///< guards all but the memory's contents, which the slot's writer owns
    recovery::Owner owner;
    SegmentMemory memory;
    std::array<std::optional<recovery::SlotHeader>, recovery::SegmentLayout::slots> sealed;
    std::array<std::int64_t, recovery::SegmentLayout::slots>
        sealed_at{}; ///< seconds since 1970; 0: before this daemon began
    std::array<std::optional<recovery::CodedGroup>, recovery::SegmentLayout::slots> groups; ///< of coded parts
    std::uint64_t committed = 0;
    std::int64_t since = 0; ///< when it was made, seconds since 1970
    std::optional<recovery::VerbsTerms> verbs; ///< for an own one whose contract has [rdma]: how its data travel
    unsigned writers = 0;  ///< streams of other keepers that write into a copy
    bool is_taken = false; ///< it was a copy, and became its rank's own: no stream may write into it any more
};

/// All snapshots that this node holds.  For any thread.
class SegmentStore {
public:
    enum class Kind { own, copy, coded };

    /// Called with each segment that is new or has another owner, before anybody is given it.
    using Provided = std::function<void(HeldSegment&, Kind)>;
    /// Fills the memfd of a new segment with pages; without it they are this process's.
    using Reserve = std::function<Result<void>(const recovery::Owner&, int descriptor, std::uint64_t bytes)>;
    explicit SegmentStore(Provided provided = {}, Reserve reserve = {})
        : provided_(std::move(provided)), reserve_(std::move(reserve))
    {
    }

    /// The segment of the owner's rank among as many ranks, whichever run of the job wrote it; or null.  What runs of another
    /// number of ranks hold lies beside it.
    std::shared_ptr<HeldSegment> find(const recovery::Owner& owner, Kind kind) const;
    /// The segment of `owner.rank` with room for `data_bytes`: the one that is held when it is as large, else a new one, which
    /// takes its time.  Its owner becomes `owner`.  snapshot_foreign when the job's segments belong to another user.
    Result<std::shared_ptr<HeldSegment>> provide(const recovery::Owner& owner, std::uint64_t data_bytes,
                                                 Kind kind);

    /// Makes the copy of a rank that begins on this node its own memory: nothing is reserved and nothing travels, as it is where
    /// the ranks behind a dead node each move on to the node that holds their copy.  Waits a moment for a stream that still
    /// writes into it.  Null when there is none that fits `owner` and `data_bytes`.
    std::shared_ptr<HeldSegment> take_copy(const recovery::Owner& owner, std::uint64_t data_bytes);
    /// Where a copy may be written now: the slot, after which `end_copy` must follow; `committed` is the newest epoch that the
    /// sender knows to be committed.  fenced when the copy's rank has taken it.
    static Result<unsigned> begin_copy(HeldSegment& copy, std::uint64_t epoch, std::uint64_t committed);
    /// `received` is nothing where the copy failed.
    static void end_copy(HeldSegment& copy, unsigned slot, const std::optional<recovery::SlotHeader>& received);
    /// Lets go of a copy that is the same memory as its rank's own: what was held of it before the rank took it.
    void drop_taken_copies();

    /// A new one, which nobody is given before it is adopted.
    Result<std::shared_ptr<HeldSegment>> make(const recovery::Owner& owner, std::uint64_t data_bytes, Kind kind) const;
    /// Takes over a segment that an earlier daemon made, or one that was made.
    void adopt(std::shared_ptr<HeldSegment> segment, Kind kind);
    struct Entry {
        Kind kind;
        std::shared_ptr<HeldSegment> segment;
    };
    /// The segments of a job, or (0) all.
    std::vector<Entry> entries(std::uint32_t job_id) const;

    /// A snapshot was sealed in a slot of a held segment.
    static void seal(HeldSegment& segment, unsigned slot, const recovery::SlotHeader& header);
    /// The same of a coded part.
    static void seal(HeldSegment& segment, unsigned slot, const recovery::SlotHeader& header,
                     const recovery::CodedGroup& group);
    /// The slot into which `epoch` may be written: never the one of the newest committed epoch.
    static unsigned choose_slot(const HeldSegment& segment, std::uint64_t epoch);
    /// The slot that holds `epoch`, or nothing.
    static std::optional<unsigned> find_slot(const HeldSegment& segment, std::uint64_t epoch);

    /// The epoch is committed: every segment of the job that holds it says so.
    void commit(std::uint32_t job_id, std::uint64_t epoch);
    /// What is held of a job; `node` of the copies is left empty.
    std::vector<recovery::HeldCopy> list(std::uint32_t job_id) const;
    /// Bytes of memory, of a job or (0) of all.
    std::uint64_t count_bytes(std::uint32_t job_id) const;
    std::uint64_t count_bytes(std::uint32_t job_id, Kind kind) const;
    void forget(std::uint32_t job_id);
    /// Lets go of what older runs of another number of ranks than the record's hold: it was for the case that the newer one
    /// would commit nothing.  What was let go of.
    std::vector<Entry> release_older(const recovery::CommitRecord& record);

private:
    struct Key {
        std::uint32_t job_id, ranks, rank;
        Kind kind;
        auto operator<=>(const Key&) const = default;
    };

    static Key key_of(const recovery::Owner& owner, Kind kind);
    Result<void> check_newest(const recovery::Owner& owner) const;
    std::shared_ptr<HeldSegment> try_take_copy(const recovery::Owner& owner, std::uint64_t data_bytes, bool& is_busy);
    static Result<bool> take_over(HeldSegment& held, const recovery::Owner& owner, std::uint64_t data_bytes);

    Provided provided_;
    Reserve reserve_;
    mutable std::mutex mutex_; // guards segments_
    std::map<Key, std::shared_ptr<HeldSegment>> segments_;
};

} // namespace mscale::daemon
