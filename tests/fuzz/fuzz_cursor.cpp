// Any bytes as a sample cursor that a program saved: refused, or one that can go on, and the same when written again.
#include "recovery/cursor.hpp"
#include "tests/fuzz/property.hpp"

using namespace mscale;
using namespace mscale::recovery;

namespace {

void check_step(RankCursor cursor)
{
    const SampleRange range = next_samples(cursor);
    require(range.begin <= range.end && range.end <= cursor.begin.samples, "samples lie in the epoch");
    require(range.end - range.begin <= cursor.batch, "they are at most a batch");
    const SampleRange ahead = next_samples(cursor, cursor.begin.seed); // any number will do
    require(ahead.begin <= ahead.end && ahead.end <= cursor.begin.samples, "also those fetched ahead");
    finish_step(cursor);
    require(check_cursor(cursor).has_value(), "after a step it is still right");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    const auto cursor = decode_cursor(bytes);
    if (!cursor) return 0;
    require(encode_cursor(*cursor) == bytes, "a cursor has one form");
    if (cursor->begin.step >= std::uint64_t(1) << 61) return 0; // the last steps that a cursor can count
    check_step(*cursor);
    if (cursor->ranks != 1) return 0;
    const auto job = join_cursors(std::span(&*cursor, 1));
    require(job.has_value() && split_cursor(*job, 1, cursor->batch).has_value(), "a rank alone goes on");
    return 0;
}
