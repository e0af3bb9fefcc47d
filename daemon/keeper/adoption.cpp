#include "daemon/keeper/adoption.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "base/log.hpp"
#include "base/text.hpp"
#include "recovery/coded_part.hpp"

namespace mscale::daemon {

namespace {

constexpr std::uint64_t memory_page = 4096;

std::string name_of(const recovery::Owner& owner)
{
    return format("job {} rank {}", owner.job_id, owner.rank);
}

constexpr std::array kinds = {SegmentStore::Kind::own, SegmentStore::Kind::copy, SegmentStore::Kind::coded};

/// What a kind is for the holder.
std::uint32_t number_of(SegmentStore::Kind kind)
{
    return static_cast<std::uint32_t>(std::ranges::find(kinds, kind) - kinds.begin());
}

HolderRecord record_of(HeldSegment& segment, SegmentStore::Kind kind)
{
    const std::scoped_lock lock(segment.mutex);
    const recovery::Owner& owner = segment.owner;
    HolderRecord record;
    record.word = HolderWord::hold;
    record.job_id = owner.job_id;
    record.uid = owner.uid;
    record.rank = owner.rank;
    record.ranks = owner.ranks;
    record.restarts = owner.incarnation.restarts;
    record.step_id = owner.incarnation.step;
    record.kind = number_of(kind);
    record.data_bytes = segment.memory.view().layout().data_bytes;
    record.since = static_cast<std::uint64_t>(segment.since);
    return record;
}

recovery::Owner owner_of(const HolderRecord& record)
{
    return {record.job_id, record.uid, record.rank, record.ranks, {record.restarts, record.step_id}};
}

/// A coded part is held only if it says of which group it is.
void take_slot(HeldSegment& segment, unsigned slot, const recovery::SealedSlot& sealed, SegmentStore::Kind kind)
{
    segment.sealed[slot] = sealed.header;
    if (kind != SegmentStore::Kind::coded) return;
    auto group = recovery::read_coded_group(sealed.manifest, segment.memory.view().data(slot));
    if (group)
        segment.groups[slot] = std::move(*group);
    else
        segment.sealed[slot].reset();
}

/// The snapshots whose header and manifest are whole.
void read_slots(HeldSegment& segment, SegmentStore::Kind kind)
{
    for (unsigned slot = 0; slot < segment.sealed.size(); ++slot) {
        const auto read = recovery::read_slot(segment.memory.view(), slot, segment.owner);
        if (read && *read) take_slot(segment, slot, **read, kind);
        if (!read) // a save may just be under way
            log_line(Level::info, format("{}: slot {} holds no whole snapshot: {}", name_of(segment.owner),
                                         slot, read.error().text));
    }
}

Result<void> adopt_segment(SegmentStore& store, Holder::Held&& held)
{
    const HolderRecord& record = held.record;
    if (record.data_bytes > recovery::SegmentLayout::most_state_bytes || record.kind >= kinds.size())
        return failure(Code::snapshot_damaged, "mscale-holder's record of it makes no sense");
    auto memory = SegmentMemory::adopt(std::move(held.descriptor),
                                       recovery::lay_out_segment(record.data_bytes, memory_page));
    if (!memory) return tl::unexpected(std::move(memory.error()));
    auto segment = std::make_shared<HeldSegment>(owner_of(record), std::move(*memory));
    segment->since = static_cast<std::int64_t>(record.since);
    read_slots(*segment, kinds[record.kind]);
    store.adopt(std::move(segment), kinds[record.kind]);
    return {};
}

/// True when the slot still holds the snapshot that it held before its data were read.
bool is_unchanged(const HeldSegment& segment, unsigned slot, const recovery::SealedSlot& before)
{
    const auto now = recovery::read_slot(segment.memory.view(), slot, before.header.owner);
    return now && *now && (*now)->header == before.header;
}

} // namespace

void give_to_holder(Holder& holder, HeldSegment& segment, SegmentStore::Kind kind)
{
    const HolderRecord record = record_of(segment, kind);
    if (const auto held = holder.hold(record, segment.memory.descriptor()); !held)
        log_error(format("{} is lost when mscaled ends", name_of(owner_of(record))), held.error());
}

Result<void> give_to_holder(Holder& holder, const recovery::CommitRecord& commit)
{
    HolderRecord record;
    record.word = HolderWord::commit;
    record.job_id = commit.job_id;
    record.restarts = commit.incarnation.restarts;
    record.step_id = commit.incarnation.step;
    record.ranks = commit.ranks;
    record.epoch = commit.epoch;
    record.step = commit.step;
    return holder.hold(record);
}

void take_from_holder(Holder& holder, const SegmentStore::Entry& entry)
{
    const HolderRecord record = record_of(*entry.segment, entry.kind);
    if (const auto taken = holder.release(record); !taken)
        log_error(format("{} of {} is still held", name_of(owner_of(record)), record.ranks), taken.error());
}

CommitRecords adopt_held(Holder& holder, SegmentStore& store)
{
    CommitRecords records;
    auto all = holder.take_all();
    if (!all)
        log_error("what was held before mscaled began is left to the copies on other nodes", all.error());
    if (!all) return records;
    for (Holder::Held& held : *all) {
        const HolderRecord record = held.record;
        if (record.word == HolderWord::commit)
            records[record.job_id] = {
                record.job_id, {record.restarts, record.step_id}, record.ranks, record.epoch, record.step};
        else if (auto adopted = adopt_segment(store, std::move(held)); !adopted)
            log_error(name_of(owner_of(record)), adopted.error());
    }
    store.drop_taken_copies();
    for (const auto& [job_id, record] : records) store.commit(job_id, record.epoch);
    if (!all->empty())
        log_line(Level::info, format("{} segments and {} commit records were taken over from mscale-holder",
                                     all->size() - records.size(), records.size()));
    return records;
}

namespace {

/// The slot as it stays: between its header and its trailer, which is moments, one that is being sealed looks damaged.
Result<std::optional<recovery::SealedSlot>> read_settled(const HeldSegment& segment, unsigned slot, const recovery::Owner& owner)
{
    constexpr std::chrono::milliseconds between_looks{20};
    auto read = recovery::read_slot(segment.memory.view(), slot, owner);
    for (int look = 0; look < 5 && !read; ++look) {
        std::this_thread::sleep_for(between_looks);
        read = recovery::read_slot(segment.memory.view(), slot, owner);
    }
    return read;
}

} // namespace

SlotCheck verify_slot(HeldSegment& segment, unsigned slot)
{
    std::unique_lock lock(segment.mutex);
    SlotCheck check{SlotCheck::State::empty, segment.owner, 0, ""};
    if (!segment.sealed[slot]) return check;
    const recovery::SlotHeader sealed = *segment.sealed[slot];
    check.epoch = sealed.epoch;
    lock.unlock();
    check.state = SlotCheck::State::written;
    const auto read = read_settled(segment, slot, check.owner);
    if (!read) {
        lock.lock();
        if (segment.sealed[slot] == sealed) segment.sealed[slot].reset();
        check.state = SlotCheck::State::damaged;
        check.text = read.error().text;
    }
    if (!read || !*read) return check;
    const auto verified = recovery::verify_data(segment.memory.view().data(slot), (*read)->manifest);
    if (!is_unchanged(segment, slot, **read)) return check;
    check.state = verified ? SlotCheck::State::whole : SlotCheck::State::damaged;
    if (verified) return check;
    check.text = verified.error().text;
    lock.lock();
    if (segment.sealed[slot] == (*read)->header) segment.sealed[slot].reset();
    return check;
}

unsigned verify_held(const std::vector<SegmentStore::Entry>& entries)
{
    unsigned damaged = 0;
    for (const SegmentStore::Entry& entry : entries)
        for (unsigned slot = 0; slot < entry.segment->sealed.size(); ++slot) {
            const SlotCheck check = verify_slot(*entry.segment, slot);
            if (check.state != SlotCheck::State::damaged) continue;
            log_line(Level::error, format("{} epoch {}: {}", name_of(check.owner), check.epoch, check.text));
            ++damaged;
        }
    return damaged;
}

} // namespace mscale::daemon
