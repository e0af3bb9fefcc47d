// From the snapshot to go on from to the agreement of all ranks on it.
#include "base/json.hpp"
#include "base/text.hpp"
#include "library/client.hpp"

namespace mscale::library {

std::optional<std::uint64_t> Client::find_restart() const
{
    return restart_pending_ ? std::optional(point_->step) : std::nullopt;
}

Result<void> Client::start_restart()
{
    if (!restart_pending_) return wrong_order("there is no snapshot to go on from");
    if (is_busy()) return wrong_order("a save or a restore is under way");
    if (point_->writers) return open_parts();
    recovery::Owner wanted = owner();
    wanted.job_id = session_.terms().restore_job;
    auto opened = Restore::open(session_.segment(), *point_, wanted);
    if (!opened) return tl::unexpected(std::move(opened.error()));
    restore_ = std::move(*opened);
    return {};
}

Result<void> Client::complete_restart(bool valid)
{
    if (!restart_pending_) return wrong_order("there is no snapshot to go on from");
    if (valid && !restore_ && !parts_) return wrong_order("no restore has been started");
    restore_.reset();
    parts_.reset();
    return valid ? confirm(point_->epoch) : reject(point_->epoch);
}

/// The choice that the keeper answers with, also one that began anew meanwhile; without one the program must not go on.
Result<std::optional<RestorePoint>> Client::ask_restore(const char* op, std::uint64_t epoch)
{
    auto choice = ask_once(op, epoch);
    while (!choice && choice.error().code == Code::keeper_lost) {
        const auto joined = session_.join_anew();
        if (!joined) choice = tl::unexpected(joined.error());
        if (!joined) break;
        choice = session_.terms().restore;
        if (choice && *choice && (*choice)->epoch == epoch) choice = ask_once(op, epoch);
    }
    if (choice) return choice;
    refused_ = choice.error();
    restart_pending_ = false;
    return choice;
}

Result<std::optional<RestorePoint>> Client::ask_once(const char* op, std::uint64_t epoch)
{
    const auto answer = session_.ask({{"op", op}, {"epoch", epoch}});
    return answer ? read_restore(*answer) : tl::unexpected(answer.error());
}

Result<void> Client::reject(std::uint64_t epoch)
{
    auto older = ask_restore("reject", epoch);
    if (!older) return tl::unexpected(std::move(older.error()));
    take_restore(*older);
    return {};
}

/// Where the keepers can, all ranks agree that they use the same snapshot before any of them goes on.
Result<void> Client::confirm(std::uint64_t epoch)
{
    restart_pending_ = false;
    if (!session_.terms().ops.contains("restored")) return {};
    auto older = ask_restore("restored", epoch);
    if (!older) return tl::unexpected(std::move(older.error()));
    if (!*older || (*older)->epoch == epoch) return {};
    take_restore(*older);
    return failure(
        Code::save_busy,
        format("another rank can't use epoch {}: the job goes on from step {}", epoch, (*older)->step),
        "restore again");
}

} // namespace mscale::library
