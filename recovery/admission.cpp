#include "recovery/admission.hpp"

#include <limits>

#include "base/text.hpp"
#include "recovery/coded_part.hpp"
#include "recovery/segment.hpp"

namespace mscale::recovery {
namespace {

constexpr auto most_bytes = std::numeric_limits<std::uint64_t>::max();

std::uint64_t multiply(std::uint64_t a, std::uint64_t b)
{
    std::uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? most_bytes : product;
}

std::uint64_t add(std::uint64_t a, std::uint64_t b)
{
    return a > most_bytes - b ? most_bytes : a + b;
}

std::string tell_coded(const RoomNeed& need)
{
    return need.coded_bytes == 0 ? "" : format(" with coded parts of {}", format_bytes(need.coded_bytes));
}

tl::unexpected<Error> no_room(const RoomQuestion& question, const RoomNeed& need, std::string limit,
                             std::string_view cure = {})
{
    return failure(Code::snapshot_room,
                   format("{} slots x {} x {} ranks x (1 + {} copies){} take {} on a node, {}",
                          SegmentLayout::slots, format_bytes(question.state_bytes), question.ranks,
                          question.copies, tell_coded(need), format_bytes(need.total_bytes), limit),
                   std::string(cure));
}

std::string format_seconds(std::chrono::milliseconds time)
{
    return time.count() % 1000 == 0 ? format("{} s", time.count() / 1000) : format("{} ms", time.count());
}

} // namespace

RoomNeed count_room(const RoomQuestion& question)
{
    RoomNeed need;
    need.segment_bytes = lay_out_segment(question.state_bytes, question.page_bytes).total_bytes;
    need.own_bytes = multiply(need.segment_bytes, question.ranks);
    need.hosted_bytes = multiply(need.own_bytes, question.copies);
    const std::uint64_t coded = count_coded_room(question.scheme, question.state_bytes);
    if (coded > 0)
        need.coded_bytes = multiply(lay_out_segment(coded, question.page_bytes).total_bytes, question.ranks);
    need.total_bytes = add(add(need.own_bytes, need.hosted_bytes), need.coded_bytes);
    return need;
}

Result<RoomNeed> admit_snapshots(const RoomQuestion& question, std::uint64_t site_limit_bytes,
                                 std::uint64_t free_bytes)
{
    const RoomNeed need = count_room(question);
    if (question.state_bytes > SegmentLayout::most_state_bytes)
        return no_room(
            question, need,
            format("and a rank's state is at most {}", format_bytes(SegmentLayout::most_state_bytes)));
    if (need.total_bytes > site_limit_bytes)
        return no_room(question, need, format("the site allows {}", format_bytes(site_limit_bytes)));
    if (need.total_bytes > free_bytes)
        return no_room(question, need, format("of which {} are free", format_bytes(free_bytes)));
    return need;
}

Result<void> admit_to_job(const RoomQuestion& question, const JobRoom& room)
{
    const RoomNeed need = count_room(question);
    const std::uint64_t taken = add(room.used_bytes, room.promised_bytes);
    if (taken <= room.limit_bytes && need.total_bytes <= room.limit_bytes - taken) return {};
    const std::string promised =
        room.promised_bytes == 0 ? "" : format(", and {} promised to copies", format_bytes(room.promised_bytes));
    return no_room(question, need,
                   format("and of the job's memory limit of {} {} are used{}", format_bytes(room.limit_bytes),
                          format_bytes(room.used_bytes), promised),
                   more_job_memory);
}

Result<void> check_grace(std::chrono::milliseconds step, std::chrono::milliseconds snapshot,
                         std::chrono::milliseconds grace)
{
    // Subtracted, since a sum of what a contract says may not fit.
    if (step <= grace && snapshot <= grace - step) return {};
    return failure(Code::grace_too_short,
                   format("a step of {} and a snapshot of {} don't end within the grace of {}",
                          format_seconds(step), format_seconds(snapshot), format_seconds(grace)));
}

} // namespace mscale::recovery
