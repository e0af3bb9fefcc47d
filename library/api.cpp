// The map of mscale.h onto Client.  No exception leaves.
#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "library/boundary.hpp"

using namespace mscale;
using namespace mscale::library;

namespace {

mscale_options read_options(const mscale_options* options)
{
    mscale_options read = MSCALE_OPTIONS_INIT;
    if (options) std::memcpy(&read, options, std::min(options->size, sizeof read));
    return read;
}

mscale_status describe(const recovery::Extent& extent, const char** name, size_t* bytes, mscale_kind* kind)
{
    if (name) *name = extent.name.c_str();
    if (bytes) *bytes = extent.bytes;
    if (kind) *kind = static_cast<mscale_kind>(extent.kind);
    return MSCALE_OK;
}

} // namespace

mscale_status mscale_init(const mscale_options* options)
{
    return guard([&] {
        Process& process = this_process();
        if (process.stage == Process::Stage::joined) return answer_wrong("mscale_init was called twice");
        const mscale_options read = read_options(options);
        if ((read.flags & ~std::uint64_t{MSCALE_ELASTIC}) != 0) return answer_wrong("a flag of mscale_options is unknown");
        const auto joined = join_keeper(process, read);
        if (!joined) return answer(joined.error(), to_join_status(joined.error()));
        return process.client ? MSCALE_OK : answer_outside();
    });
}

mscale_status mscale_finalize(void)
{
    return guard([&] {
        Process& process = this_process();
        leave_keeper(process);
        if (process.stage == Process::Stage::outside) return answer_outside();
        process.stage = Process::Stage::left;
        return MSCALE_OK;
    });
}

int32_t mscale_rank(void)
{
    const Process& process = this_process();
    return process.stage == Process::Stage::before ? -1 : static_cast<std::int32_t>(process.rank.rank);
}

int32_t mscale_ranks(void)
{
    const Process& process = this_process();
    return process.stage == Process::Stage::before ? -1 : static_cast<std::int32_t>(process.rank.ranks);
}

mscale_status mscale_start_save(uint64_t step)
{
    return with_client([&](Client& client) { return answer(client.start_save(step)); });
}

mscale_status mscale_put(const char* name, const void* data, size_t bytes, mscale_kind kind,
                         const mscale_tensor* tensor)
{
    return with_client([&](Client& client) {
        auto extent = read_extent(name, kind, tensor);
        if (!extent) return answer(extent.error(), to_status(extent.error()));
        if (!data && bytes > 0) return answer_wrong(format("extent '{}' has no data", printable(name)));
        return answer(client.put(std::move(*extent), {static_cast<const std::byte*>(data), bytes}));
    });
}

mscale_status mscale_complete_save(int valid)
{
    return with_client([&](Client& client) { return answer(client.complete_save(valid != 0)); });
}

int mscale_need_save(uint64_t step)
{
    bool need = false;
    with_client([&](Client& client) {
        need = client.need_save(step);
        return MSCALE_OK;
    });
    return need ? 1 : 0;
}

mscale_status mscale_committed(uint64_t* step)
{
    return with_client([&](Client& client) {
        const auto committed = client.find_committed();
        if (step) *step = committed.value_or(0);
        return committed ? MSCALE_OK : MSCALE_NO_RESTART;
    });
}

mscale_status mscale_have_restart(uint64_t* step)
{
    return with_client([&](Client& client) {
        const auto restart = client.find_restart();
        if (step) *step = restart.value_or(0);
        if (client.refused()) return answer(*client.refused(), MSCALE_REFUSED);
        return restart ? MSCALE_OK : MSCALE_NO_RESTART;
    });
}

mscale_status mscale_start_restart(void)
{
    return with_client([](Client& client) { return answer(client.start_restart()); });
}

size_t mscale_count(void)
{
    const Process& process = this_process();
    return process.client ? process.client->extents().size() : 0;
}

mscale_status mscale_describe(size_t index, const char** name, size_t* bytes, mscale_kind* kind)
{
    return with_client([&](Client& client) {
        if (index >= mscale_count()) return answer_wrong(format("there is no extent {}", index));
        return describe(client.extents()[index], name, bytes, kind);
    });
}

mscale_status mscale_get(const char* name, void* data, size_t bytes)
{
    return with_client([&](Client& client) {
        if (!name || (!data && bytes > 0)) return answer_wrong("a get without name or place");
        return answer(client.get(name, {static_cast<std::byte*>(data), bytes}));
    });
}

mscale_status mscale_complete_restart(int valid)
{
    return with_client([&](Client& client) {
        const auto completed = client.complete_restart(valid != 0);
        return client.refused() ? answer(*client.refused(), MSCALE_REFUSED) : answer(completed);
    });
}

mscale_status mscale_progress(uint64_t step)
{
    return with_client([&](Client& client) {
        client.progress(step);
        return MSCALE_OK;
    });
}

int mscale_should_exit(void)
{
    bool leave = false;
    with_client([&](Client& client) {
        leave = client.should_exit();
        return MSCALE_OK;
    });
    return leave ? 1 : 0;
}
