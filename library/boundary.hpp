#pragma once

// What the calls of mscale.h share: how errors become answers, and where exceptions end.
#include <new>
#include <string>

#include "library/process.hpp"
#include "library/status.hpp"

namespace mscale::library {

/// Keeps the error's text for mscale_last_error.
mscale_status answer(const Error& error, mscale_status status);
mscale_status answer(const Result<void>& result);
/// The call is wrong as it came.
mscale_status answer_wrong(std::string text);
mscale_status answer_outside();
/// For an exception: a text that needs no memory.
mscale_status answer_broken(const char* text) noexcept;

/// What an extent is by the words of the C API.
Result<recovery::Extent> read_extent(const char* name, mscale_kind kind, const mscale_tensor* tensor);

/// Runs `call`; an exception becomes MSCALE_SYSTEM.
template <class Call> mscale_status guard(Call call) noexcept
{
    try {
        return call();
    } catch (const std::bad_alloc&) {
        return answer_broken("out of memory");
    } catch (...) {
        return answer_broken("a bug");
    }
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

} // namespace mscale::library
