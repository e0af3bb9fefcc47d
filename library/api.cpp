// The map of mscale.h onto Client.  No exception leaves.
#include "mscale/mscale.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/text.hpp"
#include "library/process.hpp"
#include "library/status.hpp"

using namespace mscale;
using namespace mscale::library;

namespace {

thread_local std::string last_error;

mscale_status answer(const Error& error, mscale_status status)
{
    last_error = to_line(error);
    return status;
}

mscale_status answer(const Result<void>& result)
{
    return result ? MSCALE_OK : answer(result.error(), to_status(result.error()));
}

mscale_status answer_wrong(std::string text)
{
    return answer(tl::unexpected(failure(Code::save_order, std::move(text)).value()));
}

mscale_status answer_outside()
{
    last_error = "this process isn't a rank of a job whose contract has [ft]";
    return MSCALE_OUTSIDE;
}

/// Runs `call`; an exception becomes MSCALE_SYSTEM.
template <class Call> mscale_status guard(Call call) noexcept
{
    try {
        return call();
    } catch (const std::bad_alloc&) {
        last_error = "out of memory"; // short enough to need none
    } catch (...) {
        last_error = "a bug";
    }
    return MSCALE_SYSTEM;
}

/// Runs `call` with the client, or answers that there is none.
template <class Call> mscale_status with_client(Call call) noexcept
{
    return guard([&] {
        Process& process = this_process();
        if (process.stage == Process::Stage::outside) return answer_outside();
        if (!process.client) return answer_wrong("mscale_init comes first");
        return call(*process.client);
    });
}

mscale_options read_options(const mscale_options* options)
{
    mscale_options read = MSCALE_OPTIONS_INIT;
    if (options) std::memcpy(&read, options, std::min(options->size, sizeof read));
    return read;
}

void copy_axes(std::vector<std::uint64_t>& to, const std::uint64_t* from, std::uint32_t axes)
{
    if (axes > 0) to.assign(from, from + axes);
}

Result<recovery::Extent> read_extent(const char* name, mscale_kind kind, const mscale_tensor* tensor)
{
    if (!name) return failure(Code::save_order, "an extent has no name");
    if (kind < MSCALE_OPAQUE || kind > MSCALE_SHARED || (kind == MSCALE_TENSOR) != (tensor != nullptr))
        return failure(Code::save_order, format("extent '{}': kind and tensor don't fit", printable(name)));
    recovery::Extent extent;
    extent.name = name;
    extent.kind = static_cast<recovery::ExtentKind>(kind);
    if (!tensor) return extent;
    if (tensor->type < MSCALE_BYTES || tensor->type > MSCALE_COMPLEX128 || tensor->axes > recovery::most_axes)
        return failure(Code::save_order, format("extent '{}': unknown type, or over {} axes", printable(name),
                                                recovery::most_axes));
    extent.type = static_cast<recovery::DataType>(tensor->type);
    copy_axes(extent.global, tensor->global, tensor->axes);
    copy_axes(extent.offset, tensor->offset, tensor->axes);
    copy_axes(extent.shape, tensor->shape, tensor->axes);
    return extent;
}

mscale_status describe(const recovery::Extent& extent, const char** name, size_t* bytes, mscale_kind* kind)
{
    if (name) *name = extent.name.c_str();
    if (bytes) *bytes = extent.bytes;
    if (kind) *kind = static_cast<mscale_kind>(extent.kind);
    return MSCALE_OK;
}

} // namespace

const char* mscale_last_error(void)
{
    return last_error.c_str();
}

mscale_status mscale_init(const mscale_options* options)
{
    return guard([&] {
        Process& process = this_process();
        if (process.stage == Process::Stage::joined) return answer_wrong("mscale_init was called twice");
        const auto joined = join_keeper(process, read_options(options));
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
    return process.client && process.client->restore() ? process.client->restore()->extents().size() : 0;
}

mscale_status mscale_describe(size_t index, const char** name, size_t* bytes, mscale_kind* kind)
{
    return with_client([&](Client& client) {
        if (index >= mscale_count()) return answer_wrong(format("there is no extent {}", index));
        return describe(client.restore()->extents()[index], name, bytes, kind);
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
