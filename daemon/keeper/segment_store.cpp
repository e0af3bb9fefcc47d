#include "daemon/keeper/segment_store.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>

#include "base/text.hpp"

namespace mscale::daemon {

namespace {

constexpr std::uint64_t page_bytes = 4096;

/// True when the segment can go on serving `owner` with slots of `data_bytes`.
bool fits(const HeldSegment& segment, std::uint64_t data_bytes)
{
    return segment.memory.view().layout() == recovery::lay_out_segment(data_bytes, page_bytes);
}

/// What shows in /proc behind the rank.
const char* suffix_of(SegmentStore::Kind kind)
{
    if (kind == SegmentStore::Kind::own) return "";
    return kind == SegmentStore::Kind::copy ? "-copy" : "-coded";
}

/// What a slot of the segment is for a choice; `node` is left empty.
recovery::HeldCopy copy_in(const HeldSegment& segment, SegmentStore::Kind kind, unsigned slot)
{
    const recovery::SlotHeader& header = *segment.sealed[slot];
    const bool coded = kind == SegmentStore::Kind::coded;
    return {segment.owner.rank, header.owner.incarnation, header.epoch, header.step, "",
            coded ? recovery::Tier::coded : recovery::Tier::memory, coded ? segment.groups[slot] : std::nullopt};
}

recovery::Owner read_owner(HeldSegment& segment)
{
    const std::scoped_lock lock(segment.mutex);
    return segment.owner;
}

} // namespace

SegmentStore::Key SegmentStore::key_of(const recovery::Owner& owner, Kind kind)
{
    return {owner.job_id, owner.ranks, owner.rank, kind};
}

std::shared_ptr<HeldSegment> SegmentStore::find(const recovery::Owner& owner, Kind kind) const
{
    const std::scoped_lock lock(mutex_);
    const auto found = segments_.find(key_of(owner, kind));
    return found == segments_.end() ? nullptr : found->second;
}

Result<std::shared_ptr<HeldSegment>> SegmentStore::provide(const recovery::Owner& owner,
                                                           std::uint64_t data_bytes, Kind kind)
{
    if (auto newest = check_newest(owner); !newest) return tl::unexpected(std::move(newest.error()));
    if (const auto held = find(owner, kind)) {
        const bool other_owner = read_owner(*held) != owner;
        const auto fitting = take_over(*held, owner, data_bytes);
        if (!fitting) return tl::unexpected(fitting.error());
        if (*fitting && other_owner && provided_) provided_(*held, kind);
        if (*fitting) return held;
    }
    auto made = make(owner, data_bytes, kind);
    if (!made) return made;
    if (provided_) provided_(**made, kind);
    adopt(*made, kind);
    return made;
}

Result<std::shared_ptr<HeldSegment>> SegmentStore::make(const recovery::Owner& owner, std::uint64_t data_bytes, Kind kind) const
{
    const std::string name =
        format("mscale-{}-{}{}", owner.job_id, owner.rank, suffix_of(kind));
    SegmentMemory::Reserve reserve;
    if (reserve_) reserve = [&](int descriptor, std::uint64_t bytes) { return reserve_(owner, descriptor, bytes); };
    auto memory = SegmentMemory::create(name, recovery::lay_out_segment(data_bytes, page_bytes), reserve);
    if (!memory) return tl::unexpected(std::move(memory.error()));
    auto made = std::make_shared<HeldSegment>(owner, std::move(*memory));
    made->since = std::time(nullptr);
    return made;
}

/// A run of another number of ranks fences older ones, too.
Result<void> SegmentStore::check_newest(const recovery::Owner& owner) const
{
    for (const Entry& entry : entries(owner.job_id)) {
        const std::scoped_lock lock(entry.segment->mutex);
        const recovery::Owner& other = entry.segment->owner;
        if (other.uid != owner.uid)
            return failure(Code::snapshot_foreign, format("the snapshots of job {} belong to uid {}, not to {}", owner.job_id,
                                                          other.uid, owner.uid));
        if (other.ranks != owner.ranks && owner.incarnation < other.incarnation)
            return failure(Code::fenced, format("job {} rank {}: a newer run, of {} ranks, has taken over", owner.job_id,
                                                owner.rank, other.ranks));
    }
    return {};
}

std::shared_ptr<HeldSegment> SegmentStore::take_copy(const recovery::Owner& owner, std::uint64_t data_bytes)
{
    constexpr std::chrono::milliseconds patience{1500}, glance{10}; // a stream from a dead node stalls for 1.2 s
    const auto until = std::chrono::steady_clock::now() + patience;
    bool is_busy = true;
    std::shared_ptr<HeldSegment> taken;
    while (is_busy) {
        taken = try_take_copy(owner, data_bytes, is_busy);
        if (is_busy && std::chrono::steady_clock::now() > until) return nullptr;
        if (is_busy) std::this_thread::sleep_for(glance);
    }
    if (taken && provided_) provided_(*taken, Kind::own);
    return taken;
}

std::shared_ptr<HeldSegment> SegmentStore::try_take_copy(const recovery::Owner& owner, std::uint64_t data_bytes, bool& is_busy)
{
    is_busy = false;
    if (!check_newest(owner)) return nullptr;
    const std::scoped_lock lock(mutex_);
    const auto found = segments_.find(key_of(owner, Kind::copy));
    if (found == segments_.end() || segments_.contains(key_of(owner, Kind::own))) return nullptr;
    const auto copy = found->second;
    const std::scoped_lock of_copy(copy->mutex);
    if (copy->owner.uid != owner.uid || owner.incarnation < copy->owner.incarnation || !fits(*copy, data_bytes)) return nullptr;
    is_busy = copy->writers > 0;
    if (is_busy) return nullptr;
    copy->owner = owner;
    copy->is_taken = true;
    segments_.erase(found);
    segments_[key_of(owner, Kind::own)] = copy;
    return copy;
}

Result<unsigned> SegmentStore::begin_copy(HeldSegment& copy, std::uint64_t epoch, std::uint64_t committed)
{
    const std::scoped_lock lock(copy.mutex);
    if (copy.is_taken)
        return failure(Code::fenced, format("job {} rank {}: a newer run has taken over", copy.owner.job_id, copy.owner.rank));
    // The coordinator's word may be on its way still, and the sender has written over the epoch before that one already.
    if (find_slot(copy, committed)) copy.committed = std::max(copy.committed, committed);
    const unsigned slot = choose_slot(copy, epoch);
    copy.sealed[slot].reset();
    ++copy.writers;
    return slot;
}

void SegmentStore::end_copy(HeldSegment& copy, unsigned slot, const std::optional<recovery::SlotHeader>& received)
{
    if (received) seal(copy, slot, *received);
    const std::scoped_lock lock(copy.mutex);
    --copy.writers;
}

void SegmentStore::drop_taken_copies()
{
    const std::scoped_lock lock(mutex_);
    std::erase_if(segments_, [this](const auto& entry) {
        const auto& [key, segment] = entry;
        Key of_own = key;
        of_own.kind = Kind::own;
        const auto own = segments_.find(of_own);
        return key.kind == Kind::copy && own != segments_.end() && own->second->memory.is_same(segment->memory);
    });
}

/// False when the segment isn't of this size.
Result<bool> SegmentStore::take_over(HeldSegment& held, const recovery::Owner& owner,
                                     std::uint64_t data_bytes)
{
    const std::scoped_lock lock(held.mutex);
    if (owner.incarnation < held.owner.incarnation)
        return failure(Code::fenced,
                       format("job {} rank {}: a newer run has taken over", owner.job_id, owner.rank));
    if (!fits(held, data_bytes)) return false;
    held.owner = owner;
    return true;
}

void SegmentStore::adopt(std::shared_ptr<HeldSegment> segment, Kind kind)
{
    const std::scoped_lock lock(mutex_);
    const Key key = key_of(segment->owner, kind);
    segments_[key] = std::move(segment);
}

std::vector<SegmentStore::Entry> SegmentStore::entries(std::uint32_t job_id) const
{
    std::vector<Entry> found;
    const std::scoped_lock lock(mutex_);
    for (const auto& [key, segment] : segments_)
        if (job_id == 0 || key.job_id == job_id) found.push_back({key.kind, segment});
    return found;
}

void SegmentStore::seal(HeldSegment& segment, unsigned slot, const recovery::SlotHeader& header)
{
    const std::scoped_lock lock(segment.mutex);
    segment.sealed[slot] = header;
    segment.sealed_at[slot] = std::time(nullptr);
}

void SegmentStore::seal(HeldSegment& segment, unsigned slot, const recovery::SlotHeader& header,
                        const recovery::CodedGroup& group)
{
    const std::scoped_lock lock(segment.mutex);
    segment.sealed[slot] = header;
    segment.sealed_at[slot] = std::time(nullptr);
    segment.groups[slot] = group;
}

unsigned SegmentStore::choose_slot(const HeldSegment& segment, std::uint64_t epoch)
{
    const auto& sealed = segment.sealed;
    for (unsigned slot = 0; slot < sealed.size(); ++slot)
        if (!sealed[slot]) return slot;
    for (unsigned slot = 0; slot < sealed.size(); ++slot)
        if (sealed[slot]->epoch >= epoch) return slot; // of a run that ended before it was committed
    for (unsigned slot = 0; slot < sealed.size(); ++slot)
        if (sealed[slot]->epoch == segment.committed) return 1 - slot; // the newer one was abandoned
    return sealed[0]->epoch < sealed[1]->epoch ? 0 : 1;
}

std::optional<unsigned> SegmentStore::find_slot(const HeldSegment& segment, std::uint64_t epoch)
{
    for (unsigned slot = 0; slot < segment.sealed.size(); ++slot)
        if (segment.sealed[slot] && segment.sealed[slot]->epoch == epoch) return slot;
    return std::nullopt;
}

void SegmentStore::commit(std::uint32_t job_id, std::uint64_t epoch)
{
    const std::scoped_lock lock(mutex_);
    for (const auto& [key, segment] : segments_) {
        if (key.job_id != job_id) continue;
        const std::scoped_lock of_segment(segment->mutex);
        if (epoch <= segment->committed || !find_slot(*segment, epoch)) continue;
        segment->committed = epoch;
        segment->memory.view().set_committed_epoch(epoch);
    }
}

std::vector<recovery::HeldCopy> SegmentStore::list(std::uint32_t job_id) const
{
    std::vector<recovery::HeldCopy> copies;
    const std::scoped_lock lock(mutex_);
    for (const auto& [key, segment] : segments_) {
        if (key.job_id != job_id) continue;
        const std::scoped_lock of_segment(segment->mutex);
        for (unsigned slot = 0; slot < segment->sealed.size(); ++slot)
            if (segment->sealed[slot]) copies.push_back(copy_in(*segment, key.kind, slot));
    }
    return copies;
}

std::uint64_t SegmentStore::count_bytes(std::uint32_t job_id) const
{
    std::uint64_t bytes = 0;
    const std::scoped_lock lock(mutex_);
    for (const auto& [key, segment] : segments_)
        if (job_id == 0 || key.job_id == job_id) bytes += segment->memory.view().layout().total_bytes;
    return bytes;
}

std::uint64_t SegmentStore::count_bytes(std::uint32_t job_id, Kind kind) const
{
    std::uint64_t bytes = 0;
    const std::scoped_lock lock(mutex_);
    for (const auto& [key, segment] : segments_)
        if (key.job_id == job_id && key.kind == kind) bytes += segment->memory.view().layout().total_bytes;
    return bytes;
}

void SegmentStore::forget(std::uint32_t job_id)
{
    const std::scoped_lock lock(mutex_);
    std::erase_if(segments_, [job_id](const auto& entry) { return entry.first.job_id == job_id; });
}

std::vector<SegmentStore::Entry> SegmentStore::release_older(const recovery::CommitRecord& record)
{
    std::vector<Entry> released;
    const std::scoped_lock lock(mutex_);
    std::erase_if(segments_, [&](const auto& entry) {
        const auto& [key, segment] = entry;
        if (key.job_id != record.job_id || key.ranks == record.ranks || !(read_owner(*segment).incarnation < record.incarnation))
            return false;
        released.push_back({key.kind, segment});
        return true;
    });
    return released;
}

} // namespace mscale::daemon
