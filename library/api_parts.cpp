// The map of mscale.h's elastic restore onto Client.  No exception leaves.
#include <algorithm>

#include "base/text.hpp"
#include "library/boundary.hpp"
#include "recovery/cursor.hpp"

using namespace mscale;
using namespace mscale::library;

namespace {

recovery::RankCursor to_rank_cursor(const mscale_cursor& cursor)
{
    return {{cursor.step, cursor.epoch, cursor.seed, cursor.samples, cursor.consumed}, cursor.rank, cursor.ranks, cursor.batch,
            cursor.batches};
}

mscale_cursor to_cursor(const recovery::RankCursor& cursor)
{
    const recovery::JobCursor& begin = cursor.begin;
    return {begin.step, begin.epoch, begin.seed, begin.samples, begin.consumed, cursor.batches, cursor.rank, cursor.ranks,
            cursor.batch, 0};
}

/// Runs `call` with the cursor, if that is one.
template <class Call> mscale_status with_cursor(const mscale_cursor* cursor, Call call) noexcept
{
    return guard([&] {
        if (!cursor) return answer_wrong("a cursor is missing");
        const recovery::RankCursor checked = to_rank_cursor(*cursor);
        if (auto possible = recovery::check_cursor(checked); !possible) return answer(possible);
        return call(checked);
    });
}

/// What is wanted of the extent: its part of a tensor, or all of anything else.
Result<recovery::Extent> read_wanted(const Client& client, const char* name, const mscale_tensor* wanted)
{
    const auto extent = client.find(name);
    if (!extent) return tl::unexpected(extent.error());
    if (!wanted) return **extent;
    return read_extent(name, static_cast<mscale_kind>((*extent)->kind), wanted);
}

mscale_status get_part(Client& client, const char* name, std::span<std::byte> data, const mscale_tensor* tensor)
{
    auto wanted = read_wanted(client, name, tensor);
    if (!wanted) return answer(wanted.error(), to_status(wanted.error()));
    wanted->at = 0;
    wanted->bytes = data.size();
    return answer(client.get_part(*wanted, data));
}

} // namespace

int32_t mscale_writers(void)
{
    const Process& process = this_process();
    return process.client ? static_cast<std::int32_t>(process.client->writers()) : 0;
}

mscale_status mscale_describe_tensor(size_t index, mscale_type* type, uint32_t* axes, uint64_t* global)
{
    return with_client([&](const Client& client) {
        if (index >= client.extents().size()) return answer_wrong(format("there is no extent {}", index));
        const recovery::Extent& extent = client.extents()[index];
        if (extent.kind != recovery::ExtentKind::tensor)
            return answer_wrong(format("extent '{}' is no tensor", printable(extent.name)));
        if (type) *type = static_cast<mscale_type>(extent.type);
        if (axes) *axes = static_cast<std::uint32_t>(extent.global.size());
        if (global) std::ranges::copy(extent.global, global);
        return MSCALE_OK;
    });
}

mscale_status mscale_get_part(const char* name, void* data, size_t bytes, const mscale_tensor* wanted)
{
    return with_client([&](Client& client) {
        if (!name || (!data && bytes > 0)) return answer_wrong("a get without name or place");
        return get_part(client, name, {static_cast<std::byte*>(data), bytes}, wanted);
    });
}

mscale_status mscale_next_samples(const mscale_cursor* cursor, uint64_t ahead, uint64_t* begin, uint64_t* end)
{
    return with_cursor(cursor, [&](const recovery::RankCursor& checked) {
        const recovery::SampleRange samples = recovery::next_samples(checked, ahead);
        if (begin) *begin = samples.begin;
        if (end) *end = samples.end;
        return MSCALE_OK;
    });
}

mscale_status mscale_finish_step(mscale_cursor* cursor)
{
    return with_cursor(cursor, [&](recovery::RankCursor checked) {
        recovery::finish_step(checked);
        *cursor = to_cursor(checked);
        return MSCALE_OK;
    });
}

mscale_status mscale_put_cursor(const char* name, const mscale_cursor* cursor)
{
    return with_cursor(cursor, [&](const recovery::RankCursor& checked) {
        const std::string bytes = recovery::encode_cursor(checked);
        return mscale_put(name, bytes.data(), bytes.size(), MSCALE_CURSOR, nullptr);
    });
}

mscale_status mscale_get_cursor(const char* name, uint32_t batch, mscale_cursor* cursor)
{
    return with_client([&](Client& client) {
        if (!name || !cursor) return answer_wrong("a cursor without name or place");
        const auto found = client.get_cursor(name, batch);
        if (!found) return answer(found.error(), to_status(found.error()));
        *cursor = to_cursor(*found);
        return MSCALE_OK;
    });
}
