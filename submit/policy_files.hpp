#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "submit/file_stamps.hpp"
#include "submit/policy.hpp"

namespace mscale::submit {

/// Keeps the policy in step with mscale.conf, the inventory and the profiles, without a restart.  A new file
/// that is damaged, empty or gone is logged once, and what was read before stays in force.  Safe for several
/// threads.
class PolicyFiles {
public:
    /// `configuration`: the path of mscale.conf.
    explicit PolicyFiles(std::string configuration) : configuration_(std::move(configuration)) {}

    /// The policy in force now; reads again what has changed since the last call.  Never null.
    std::shared_ptr<const Policy> current();

private:
    bool refresh_site(Policy& next);
    bool refresh_inventory(Policy& next);
    bool refresh_profiles(const Policy& next);

    const std::string configuration_;
    std::mutex mutex_;
    std::shared_ptr<const Policy> policy_ = std::make_shared<const Policy>();
    FileStamp site_stamp_;
    std::vector<FileStamp> inventory_stamps_, profile_stamps_;
    std::string inventory_directory_;
};

/// $MSCALE_CONF of slurmctld, else SYSCONFDIR/mscale/mscale.conf.
std::string find_configuration();

} // namespace mscale::submit
