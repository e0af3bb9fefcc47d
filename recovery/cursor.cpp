#include "recovery/cursor.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "recovery/bytes.hpp"
#include "recovery/commit.hpp"

namespace mscale::recovery {
namespace {

constexpr std::uint32_t cursor_magic = 0x3143534d;             // "MSC1"
constexpr std::uint64_t most_samples = std::uint64_t(1) << 56; // so that no sum of a global batch wraps
constexpr std::uint64_t most_steps = std::uint64_t(1) << 62;

std::uint64_t global_batch(const RankCursor& cursor)
{
    return std::uint64_t(cursor.ranks) * cursor.batch;
}

tl::unexpected<Error> cannot_join(std::string why)
{
    return failure(Code::reshape, "sample cursors: " + std::move(why));
}

/// Where all ranks stand by this one.
JobCursor job_of(const RankCursor& cursor)
{
    JobCursor job = cursor.begin;
    job.step += cursor.batches;
    job.consumed += cursor.batches * global_batch(cursor);
    return job;
}

bool is_same_run(const RankCursor& a, const RankCursor& b)
{
    return a.begin == b.begin && a.ranks == b.ranks && a.batch == b.batch;
}

Result<void> check_one(const RankCursor& cursor, const RankCursor& first)
{
    if (auto checked = check_cursor(cursor); !checked) return checked;
    if (!is_same_run(cursor, first))
        return cannot_join(
            format("rank {} counts another way than rank {}: epoch, seed, samples or batch differ",
                   cursor.rank, first.rank));
    if (cursor.batches != first.batches)
        return cannot_join(format("rank {} trained {} batches, rank {} {}", cursor.rank, cursor.batches,
                                  first.rank, first.batches));
    return {};
}

} // namespace

Result<void> check_cursor(const RankCursor& cursor)
{
    const JobCursor& job = cursor.begin;
    const bool counts = cursor.ranks > 0 && cursor.ranks <= most_ranks && cursor.rank < cursor.ranks &&
                        cursor.batch > 0 && job.samples > 0 && job.samples <= most_samples;
    if (!counts || job.consumed >= job.samples || job.step > most_steps ||
        cursor.batches > (job.samples - job.consumed - 1) / global_batch(cursor))
        return failure(
            Code::save_order,
            format("a sample cursor can't be: rank {} of {}, batches {} of {}, {} of {} samples before",
                   cursor.rank, cursor.ranks, cursor.batches, cursor.batch, job.consumed, job.samples));
    return {};
}

SampleRange next_samples(const RankCursor& cursor, std::uint64_t ahead)
{
    const std::uint64_t samples = cursor.begin.samples, batch = global_batch(cursor);
    const std::uint64_t left = samples - job_of(cursor).consumed;
    if (ahead > left / batch) return {samples, samples};
    const std::uint64_t begin = samples - left + ahead * batch + std::uint64_t(cursor.rank) * cursor.batch;
    return {std::min(begin, samples), std::min(begin + cursor.batch, samples)};
}

void finish_step(RankCursor& cursor)
{
    ++cursor.batches;
    JobCursor job = job_of(cursor);
    if (job.consumed < job.samples) return;
    ++job.epoch;
    job.consumed = 0;
    cursor.begin = job;
    cursor.batches = 0;
}

Result<JobCursor> join_cursors(std::span<const RankCursor> cursors)
{
    if (cursors.empty()) return cannot_join("there are none");
    std::vector<bool> seen(cursors.size());
    for (const RankCursor& cursor : cursors) {
        if (auto checked = check_one(cursor, cursors.front()); !checked)
            return tl::unexpected(checked.error());
        if (cursor.ranks != cursors.size())
            return cannot_join(format("{} came of {} ranks", cursors.size(), cursor.ranks));
        if (seen[cursor.rank]) return cannot_join(format("two came of rank {}", cursor.rank));
        seen[cursor.rank] = true;
    }
    return job_of(cursors.front());
}

Result<std::vector<RankCursor>> split_cursor(const JobCursor& job, std::uint32_t ranks, std::uint32_t batch)
{
    if (auto checked = check_cursor({job, 0, ranks, batch, 0}); !checked)
        return tl::unexpected(checked.error());
    std::vector<RankCursor> cursors;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) cursors.push_back({job, rank, ranks, batch, 0});
    return cursors;
}

std::string encode_cursor(const RankCursor& cursor)
{
    ByteWriter writer;
    writer.put(cursor_magic);
    const JobCursor& job = cursor.begin;
    for (const std::uint64_t number :
         {job.step, job.epoch, job.seed, job.samples, job.consumed, cursor.batches})
        writer.put(number);
    for (const std::uint32_t number : {cursor.rank, cursor.ranks, cursor.batch}) writer.put(number);
    return writer.bytes();
}

Result<RankCursor> decode_cursor(std::string_view bytes)
{
    ByteReader reader(bytes);
    if (reader.get<std::uint32_t>() != cursor_magic)
        return failure(Code::snapshot_damaged, "a sample cursor doesn't begin as one");
    RankCursor cursor;
    JobCursor& job = cursor.begin;
    for (std::uint64_t* number :
         {&job.step, &job.epoch, &job.seed, &job.samples, &job.consumed, &cursor.batches})
        *number = reader.get<std::uint64_t>();
    for (std::uint32_t* number : {&cursor.rank, &cursor.ranks, &cursor.batch})
        *number = reader.get<std::uint32_t>();
    if (reader.failed() || reader.left() > 0)
        return failure(Code::snapshot_damaged, format("a sample cursor of {} bytes", bytes.size()));
    if (auto checked = check_cursor(cursor); !checked) return tl::unexpected(std::move(checked.error()));
    return cursor;
}

} // namespace mscale::recovery
