#include "library/process.hpp"

#include <cstdlib>

#include <pthread.h>

#include "library/find_keeper.hpp"
#include "library/notice.hpp"

namespace mscale::library {
namespace {

/// The parent's connection must not stay open in its children: the keeper would not notice the parent's end.
void forget_in_child()
{
    Process& process = this_process();
    if (process.client) process.client->forget();
    (void)process.client.release(); // its memory isn't mapped here
    process.stage = Process::Stage::outside;
    release_notices();
}

void watch_forks()
{
    static const int registered = ::pthread_atfork(nullptr, nullptr, &forget_in_child);
    (void)registered;
}

/// So that a program that fails by itself is told from one that was killed.
void watch_exit()
{
    static const int registered = ::on_exit(
        [](int status, void*) {
            if (const Process& process = this_process(); process.client) process.client->tell_exit(status);
        },
        nullptr);
    (void)registered;
}

std::optional<std::uint32_t> given(std::int32_t number)
{
    return number < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(number));
}

} // namespace

Process& this_process()
{
    static auto* const process = new Process;
    return *process;
}

Result<void> join_keeper(Process& process, const mscale_options& options)
{
    const auto keeper = find_keeper();
    const auto rank = find_rank(given(options.rank), given(options.ranks));
    process.rank = rank.value_or(Rank{0, 1});
    if (!keeper) process.stage = Process::Stage::outside;
    if (!keeper) return {};
    if (!rank) return tl::unexpected(rank.error());
    if (auto checked = check_restarts(); !checked) return checked;
    const bool elastic = (options.flags & MSCALE_ELASTIC) != 0;
    auto session = Session::join({keeper->path, *rank, options.state_bytes, elastic}, keeper->patience);
    if (!session && is_outside(session.error(), *keeper)) {
        process.stage = Process::Stage::outside;
        return {};
    }
    if (!session) return tl::unexpected(std::move(session.error()));
    watch_forks();
    watch_exit();
    process.client = std::make_unique<Client>(std::move(*session), *rank);
    process.stage = Process::Stage::joined;
    catch_notices();
    return {};
}

void leave_keeper(Process& process)
{
    if (process.client) process.client->leave();
    process.client.reset();
    if (caught_notice() == 0) release_notices(); // else the program is on its way out, and may hear it twice
}

} // namespace mscale::library
