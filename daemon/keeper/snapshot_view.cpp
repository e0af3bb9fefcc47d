#include "daemon/keeper/snapshot_view.hpp"

#include "base/json.hpp"
#include "daemon/keeper/adoption.hpp"

namespace mscale::daemon {

namespace {

const char* word_of(SegmentStore::Kind kind)
{
    if (kind == SegmentStore::Kind::own) return "own";
    return kind == SegmentStore::Kind::copy ? "copy" : "coded";
}

Json describe_slot(const HeldSegment& segment, unsigned slot, std::int64_t now)
{
    const recovery::SlotHeader& header = *segment.sealed[slot];
    const std::int64_t sealed = segment.sealed_at[slot];
    return {{"slot", slot},
            {"epoch", header.epoch},
            {"step", header.step},
            {"bytes", header.data_bytes},
            {"age", sealed == 0 ? Json(nullptr) : Json(now - sealed)},
            {"committed", header.epoch <= segment.committed}};
}

const char* word_of(const SlotCheck& check)
{
    if (check.state == SlotCheck::State::whole) return "whole";
    return check.state == SlotCheck::State::damaged ? "damaged" : "being written";
}

} // namespace

Json describe_segment(const SegmentStore::Entry& entry, std::int64_t now)
{
    HeldSegment& segment = *entry.segment;
    const std::scoped_lock lock(segment.mutex);
    Json slots = Json::array();
    for (unsigned slot = 0; slot < segment.sealed.size(); ++slot)
        if (segment.sealed[slot]) slots.push_back(describe_slot(segment, slot, now));
    return {{"job", segment.owner.job_id}, {"uid", segment.owner.uid},
            {"rank", segment.owner.rank},  {"ranks", segment.owner.ranks},
            {"kind", word_of(entry.kind)}, {"bytes", segment.memory.view().layout().total_bytes},
            {"since", segment.since},      {"slots", slots}};
}

Json verify_entries(const std::vector<SegmentStore::Entry>& entries)
{
    Json checks = Json::array();
    for (const SegmentStore::Entry& entry : entries)
        for (unsigned slot = 0; slot < entry.segment->sealed.size(); ++slot) {
            const SlotCheck check = verify_slot(*entry.segment, slot);
            if (check.state == SlotCheck::State::empty) continue;
            checks.push_back({{"job", check.owner.job_id},
                              {"rank", check.owner.rank},
                              {"kind", word_of(entry.kind)},
                              {"slot", slot},
                              {"epoch", check.epoch},
                              {"result", word_of(check)},
                              {"text", check.text}});
        }
    return checks;
}

} // namespace mscale::daemon
