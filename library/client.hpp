#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "library/departure.hpp"
#include "library/parts.hpp"
#include "library/policy.hpp"
#include "library/restore.hpp"
#include "library/save.hpp"
#include "library/session.hpp"

namespace mscale::library {

/// save_order: a call that the calls before it don't allow.
tl::unexpected<Error> wrong_order(std::string text);

/// What the calls of mscale.h do, for one rank that has joined its keeper.  Not for several threads at a time.
///
/// Epochs follow the training steps, so that all ranks give the same save the same number even when one of them had to
/// leave a save out: next_epoch belongs to the first step after the snapshot that the job went on from.
class Client {
public:
    using Clock = Session::Clock;

    explicit Client(Session&& session, const Rank& rank);

    const Rank& rank() const { return rank_; }

    /// save_busy while the last save is being copied, fenced when a newer run has taken over.  The save before the job's end
    /// waits for room.
    Result<void> start_save(std::uint64_t step);
    Result<void> put(recovery::Extent extent, std::span<const std::byte> data);
    /// keeper_lost or degraded when the snapshot lies in this rank's memory with fewer copies than promised.
    Result<void> complete_save(bool valid);
    /// The step is done; waits as `progress` does.
    bool need_save(std::uint64_t step);
    /// The newest committed training step, or nothing.
    std::optional<std::uint64_t> find_committed();

    /// The training step to go on after, or nothing.
    std::optional<std::uint64_t> find_restart() const;
    /// Why the program must not go on at all: a snapshot was expected and none is left, or nobody knows.
    const std::optional<Error>& refused() const { return refused_; }
    Result<void> start_restart();
    /// What the snapshot holds while it is being read back: this rank's extents, or, where another number of ranks wrote it,
    /// the whole of what all of them saved.
    std::span<const recovery::Extent> extents() const;
    /// How many ranks wrote the snapshot to go on from, 0 for none.
    std::uint32_t writers() const;
    /// All of an extent.
    Result<void> get(std::string_view name, std::span<std::byte> data);
    /// The extent of this name as it was saved, or the whole of it.
    Result<const recovery::Extent*> find(std::string_view name) const;
    /// This rank's part of one.
    Result<void> get_part(const recovery::Extent& wanted, std::span<std::byte> data);
    /// Where this rank goes on among the samples.
    Result<recovery::RankCursor> get_cursor(std::string_view name, std::uint32_t batch);
    /// save_busy when another rank couldn't use the snapshot: find_restart gives the older one to go on from.
    Result<void> complete_restart(bool valid);

    /// Waits, when the job is to end, until the step is known after which all ranks leave; see Departure.
    void progress(std::uint64_t step);
    bool should_exit();
    /// Where the job is to end, not before the last save is committed.
    void leave();
    /// The program ends by itself without having left, with this exit status.
    void tell_exit(int status);
    /// In a child of fork: lets go of the connection, which is the parent's.
    void forget() { session_.forget(); }

private:
    /// What the library itself put into a slot, or what the keeper restored there.
    struct SlotUse {
        std::uint64_t epoch = 0; ///< 0: free to be written
        std::uint64_t step = 0;
        bool told = true; ///< the keeper knows that it is sealed
    };

    bool is_busy() const { return save_ || restore_ || parts_; }
    Result<void> open_parts();
    Result<std::span<const std::byte>> read_written(const WrittenPiece& piece);
    Result<Json> ask_written(const WrittenPiece& piece);
    void pump();
    void watch_commit();
    void take(const Json& event);
    void tell_sealed();
    void tell_again();
    Result<unsigned> choose_slot() const;
    std::uint64_t newest_committed() const;
    std::uint64_t first_step() const;
    Result<void> check_step(std::uint64_t step) const;
    recovery::Owner owner() const;
    recovery::SlotHeader make_header(std::uint64_t step) const;
    void leave_out(std::uint64_t step);
    void skip(std::uint64_t step);
    std::vector<std::uint64_t> list_uncommitted() const;
    Result<void> report_health() const;
    Result<void> reject(std::uint64_t epoch);
    Result<void> confirm(std::uint64_t epoch);
    Result<std::optional<RestorePoint>> ask_restore(const char* op, std::uint64_t epoch);
    Result<std::optional<RestorePoint>> ask_once(const char* op, std::uint64_t epoch);
    void take_restore(const std::optional<RestorePoint>& restore);
    void take_exit(std::uint64_t step);
    void tell_progress();
    void tell_notice();
    void hold(std::uint64_t step);
    void wait_a_little() const;
    Result<unsigned> wait_for_slot();
    void wait_for_commit();
    void obey_if_passed(std::uint64_t step);

    Session session_;
    Rank rank_;
    Policy policy_;
    Departure departure_;
    bool told_notice_ = false;
    std::array<SlotUse, recovery::SegmentLayout::slots> uses_{};
    std::optional<RestorePoint> point_; ///< what the job goes on from, also after the restore
    std::uint64_t committed_ = 0;       ///< newest epoch that was seen as committed; never falls
    bool restart_pending_ = false;
    std::optional<Error> refused_;
    std::optional<Save> save_;
    std::optional<Restore> restore_;
    std::optional<Parts> parts_; ///< instead of restore_ where another number of ranks wrote it
    std::optional<std::uint64_t> last_started_;
    /// The save that began last, until it is seen as committed.
    struct Begun {
        std::uint64_t epoch = 0;
        Clock::time_point at{};
    };
    std::optional<Begun> begun_;
    std::uint64_t done_ = 0;
    Clock::time_point told_progress_{};
};

} // namespace mscale::library
