#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <sys/types.h>

#include "submit/file_stamps.hpp"
#include "submit/policy.hpp"

namespace mscale::submit {

/// Keeps the policy in step with mscale.conf, the inventory and the profiles, without a restart.  The files are looked at
/// by a thread of its own, each second and when a job asks: they may lie on a file system that hangs, and a large inventory
/// takes its time, while the job's hook runs under slurmctld's job lock.  A new file that is damaged, empty or gone is
/// logged once, and what was read before stays in force.  Safe for several threads; nothing is done in a forked child
/// before it asks.
class PolicyFiles {
public:
    using ReadInventory = std::function<Result<hal::Inventory>(const std::string& directory)>;
    /// `configuration`: the path of mscale.conf.  `patience`: the longest that `current` waits.
    explicit PolicyFiles(std::string configuration,
                         std::chrono::milliseconds patience = std::chrono::milliseconds(20),
                         ReadInventory read_inventory = hal::read_inventory)
        : configuration_(std::move(configuration)), patience_(patience),
          read_inventory_(std::move(read_inventory))
    {
    }
    PolicyFiles(const PolicyFiles&) = delete;
    PolicyFiles& operator=(const PolicyFiles&) = delete;
    ~PolicyFiles(); ///< waits for the thread

    /// Reads the files on the calling thread: when slurmctld starts.
    void load();
    /// The policy that the files state now, where they can be looked at in time, else the one read before.  Never null.
    std::shared_ptr<const Policy> current();
    /// The policy read last; waits for nothing.  Never null.
    std::shared_ptr<const Policy> kept();
    /// Ends the thread; false when it hangs in a file system for longer than `time`.
    bool end(std::chrono::milliseconds time);

private:
    void ensure_thread();
    void follow();
    void refresh();
    bool refresh_site(Policy& next);
    bool refresh_inventory(Policy& next);
    bool refresh_profiles(Policy& next);

    const std::string configuration_;
    const std::chrono::milliseconds patience_;
    const ReadInventory read_inventory_;

    std::mutex mutex_; ///< of what follows; never held while a file is touched
    std::condition_variable asked_again_, answered_again_;
    std::shared_ptr<const Policy> policy_ = std::make_shared<const Policy>();
    std::uint64_t asked_ = 0, answered_ = 0;
    bool is_late_ = false; ///< the thread hangs: nobody waits for it
    bool is_ending_ = false, is_running_ = false;
    pid_t process_ = 0; ///< where the thread runs

    std::mutex reading_; ///< held while the files are looked at
    FileStamp site_stamp_;
    std::vector<FileStamp> inventory_stamps_, profile_stamps_;
    std::string inventory_directory_;
};

/// $MSCALE_CONF of slurmctld, else SYSCONFDIR/mscale/mscale.conf.
std::string find_configuration();

} // namespace mscale::submit
