#include "submit/policy_files.hpp"

#include <cstdlib>
#include <utility>

#include <unistd.h>

#include "base/log.hpp"
#include "base/text.hpp"
#include "submit/helper_thread.hpp"

namespace mscale::submit {

namespace {

/// What the user reads while the controller can't judge.
std::string tell_unready(const Error& error)
{
    return "mscale: the contract is refused: the controller can't judge it: " + to_line(error);
}

/// Reads mscale.conf; where there never was one, the defaults hold if no file was named.  A file that was
/// there and is empty or gone is in the middle of being replaced, or lost: no statement of the
/// administrator's that everything shall be as the defaults say.
Result<contract::Site> read_site_again(const std::string& path, const FileStamp& stamp, bool had_one)
{
    if (had_one && (stamp.modified_ns < 0 || stamp.bytes == 0))
        return failure(Code::config_file,
                       path + (stamp.bytes == 0 && stamp.modified_ns >= 0 ? " is empty" : " is gone"));
    return contract::read_site(stamp.modified_ns < 0 ? "" : path);
}

} // namespace

bool PolicyFiles::refresh_site(Policy& next)
{
    FileStamp stamp = stamp_file(configuration_);
    if (stamp == site_stamp_) return false;
    auto site = read_site_again(configuration_, stamp, next.site.has_value());
    site_stamp_ = std::move(stamp);
    if (site) {
        next.site = std::move(*site);
        next.site_fault.clear();
        return true;
    }
    log_error(next.site ? "mscale.conf has faults, the one read before stays in force" : "mscale.conf",
              site.error());
    if (!next.site) next.site_fault = tell_unready(site.error());
    return !next.site;
}

bool PolicyFiles::refresh_inventory(Policy& next)
{
    const std::string& directory = next.site->inventory;
    auto stamps = stamp_directory(directory);
    if (stamps == inventory_stamps_ && directory == inventory_directory_) return false;
    auto inventory = read_inventory_(directory);
    inventory_stamps_ = std::move(stamps);
    inventory_directory_ = directory;
    if (inventory) {
        next.inventory = std::make_shared<const hal::Inventory>(std::move(*inventory));
        next.inventory_fault.clear();
        return true;
    }
    log_error(next.inventory ? "the inventory can't be read, the one read before stays in force"
                             : "inventory",
              inventory.error());
    if (!next.inventory) next.inventory_fault = tell_unready(inventory.error());
    return !next.inventory;
}

bool PolicyFiles::refresh_profiles(Policy& next)
{
    auto stamps = stamp_directory(next.site->profiles);
    if (stamps == profile_stamps_) return false;
    next.profiles =
        std::make_shared<const contract::LoadedProfiles>(contract::ProfileDirectory(next.site->profiles));
    profile_stamps_ = std::move(stamps);
    return true;
}

void PolicyFiles::refresh()
{
    const std::lock_guard lock(reading_);
    Policy next = *kept();
    bool is_changed = refresh_site(next);
    if (next.site) {
        is_changed |= refresh_inventory(next);
        is_changed |= refresh_profiles(next);
    }
    if (!is_changed) return;
    next.rulings = std::make_shared<Rulings>();
    auto changed = std::make_shared<const Policy>(std::move(next));
    const std::lock_guard swapping(mutex_);
    policy_.swap(changed);
}

void PolicyFiles::load()
{
    refresh();
}

std::shared_ptr<const Policy> PolicyFiles::kept()
{
    const std::lock_guard lock(mutex_);
    return policy_;
}

std::shared_ptr<const Policy> PolicyFiles::current()
{
    std::unique_lock lock(mutex_);
    ensure_thread();
    if (is_late_) return policy_;
    const std::uint64_t mine = ++asked_;
    asked_again_.notify_one();
    is_late_ = !answered_again_.wait_for(lock, patience_, [&] { return answered_ >= mine; });
    return policy_;
}

/// A forked child has the object and not its thread.
void PolicyFiles::ensure_thread()
{
    if (is_running_ && process_ == getpid()) return;
    start_thread([this] { follow(); });
    is_running_ = true;
    is_ending_ = is_late_ = false;
    process_ = getpid();
}

void PolicyFiles::follow()
{
    constexpr std::chrono::seconds interval{1};
    std::unique_lock lock(mutex_);
    while (!is_ending_) {
        asked_again_.wait_for(lock, interval, [&] { return is_ending_ || asked_ != answered_; });
        if (is_ending_) break;
        const std::uint64_t asked = asked_;
        lock.unlock();
        run_and_log([this] { refresh(); });
        lock.lock();
        answered_ = asked;
        is_late_ = is_late_ && asked_ != answered_;
        answered_again_.notify_all();
    }
    is_running_ = false;
    answered_again_.notify_all();
}

bool PolicyFiles::end(std::chrono::milliseconds time)
{
    std::unique_lock lock(mutex_);
    is_ending_ = true;
    asked_again_.notify_all();
    return answered_again_.wait_for(lock, time, [&] { return !is_running_; });
}

PolicyFiles::~PolicyFiles()
{
    while (!end(std::chrono::hours(1))) continue;
}

std::string find_configuration()
{
    const char* given = std::getenv("MSCALE_CONF");
    return given && *given ? given : MSCALE_SYSCONFDIR "/mscale.conf";
}

} // namespace mscale::submit
