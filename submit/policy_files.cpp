#include "submit/policy_files.hpp"

#include <cstdlib>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"

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
    auto inventory = hal::read_inventory(directory);
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

bool PolicyFiles::refresh_profiles(const Policy& next)
{
    auto stamps = stamp_directory(next.site->profiles);
    if (stamps == profile_stamps_) return false;
    profile_stamps_ = std::move(stamps);
    return true;
}

std::shared_ptr<const Policy> PolicyFiles::current()
{
    const std::lock_guard lock(mutex_);
    Policy next = *policy_;
    bool is_changed = refresh_site(next);
    if (next.site) {
        is_changed |= refresh_inventory(next);
        is_changed |= refresh_profiles(next);
    }
    if (is_changed) {
        next.rulings = std::make_shared<Rulings>();
        policy_ = std::make_shared<const Policy>(std::move(next));
    }
    return policy_;
}

std::string find_configuration()
{
    const char* given = std::getenv("MSCALE_CONF");
    return given && *given ? given : MSCALE_SYSCONFDIR "/mscale.conf";
}

} // namespace mscale::submit
