#pragma once

#include <chrono>
#include <cstdint>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ini.hpp"

namespace mscale::contract {

enum class Mode { off, observe, enforce };
enum class CrossDomain { forbid, io_only, allow };
enum class Isolated { forbid, allow };
/// Whether mscaled sets a dead node DOWN: never, when no other job holds it, always.
enum class SetDown { no, own, yes };
/// How the slurmstepd of a job are freed that wait for the job's dead batch host: not at all, by ending their connections to
/// it, by an unreachable route to it.
enum class EndWait { no, tasks, route };

/// mscale.conf: the site's policy and where things lie.  Defaults are those of the manual (man 5 mscale.conf).
struct Site {
    // [site]
    Mode mode = Mode::observe;
    std::map<std::string, Mode> partition_modes; // [partition.NAME] mode
    // [policy]
    CrossDomain cross_domain = CrossDomain::forbid;
    bool prefer_same_domain = true;
    Isolated isolated = Isolated::forbid;
    std::vector<std::string> io_roles = {"image_loader", "loader"}; ///< roles that count as io-heavy beside those with a disk
    unsigned inventory_days = 180; ///< inventory_age: an older class isn't believed; 0: any age
    // [hugepages]
    bool grow = true;
    // [gpu]
    std::string nvml_library; ///< "" : the system's
    // [gres]
    std::string gres_name = "sm";
    // [paths]
    std::string state = "/run/mscale";
    std::string inventory; ///< default SYSCONFDIR/mscale/inventory
    std::string profiles;  ///< default SYSCONFDIR/mscale/profiles
    std::string node_program; ///< absolute path of mscale-node; default SBINDIR/mscale-node
    // [munge]
    std::string munge_socket; ///< "" : munge's own default
    // [daemon]
    unsigned port = 6821;
    std::chrono::milliseconds report_deadline{30000};   ///< a silent node is named after this
    std::chrono::milliseconds watch_interval{2000};     ///< cores and pages are read again
    std::chrono::milliseconds reconcile_interval{60000};
    // [recovery]
    unsigned recovery_port = 6822;     ///< of the snapshots that nodes send each other, and UDP of their beats
    std::uint64_t recovery_memory = 0; ///< bytes of a node that snapshots may take; 0: what is free
    std::uint64_t held_memory = 0; ///< bytes of it that jobs which wait to run again may keep on a node that they left
    std::string domains = "switch"; ///< what is lost together: switch, node, or "NAME=NODES NAME=NODES"
    SetDown set_down = SetDown::own;
    unsigned max_down_per_hour = 2;
    bool require_controller = true; ///< a mscaled beside slurmctld must find the node dead, too
    EndWait end_wait = EndWait::no;
    std::uint64_t recovery_rate = std::uint64_t{1} << 30; ///< bytes a second that a node sends to others
    std::uint64_t spill_rate = std::uint64_t{1} << 30; ///< bytes a second that a node writes to directories of ft.spill
    // [node]
    std::chrono::milliseconds apply_deadline{20000}; ///< must lie below Slurm's PrologEpilogTimeout

    bool operator==(const Site&) const = default;
};

/// The mode that holds in a partition.
Mode mode_of(const Site& site, std::string_view partition);

/// Whole days from `written` to `now` (seconds since the epoch), when that is more than the site believes an inventory.
std::optional<std::int64_t> find_excess_age(const Site& site, std::int64_t written, std::int64_t now);

/// The site and every fault of the text; unknown keys are faults with their line.
struct SiteParsed {
    Site site;
    Faults faults;
};
SiteParsed parse_site(std::string_view text, std::string_view source);

/// Reads `path`; "" means $MSCALE_CONF when set, else SYSCONFDIR/mscale/mscale.conf.  A missing default file gives the
/// defaults, a missing named one an error.  Privileged processes pass a path that the administrator gave.
Result<Site> read_site(const std::string& path);

/// One key of mscale.conf, for the manual, the example file and `mscale doctor --settings`.
struct SiteKey {
    std::string_view section, key, values, fallback, meaning;
};
std::vector<SiteKey> site_keys();

/// A value in force and where it comes from: "FILE:LINE" or "default".
struct SiteSetting {
    std::string name, value, origin;
};
/// All settings that the text gives or leaves at their defaults, in the order of the manual.
std::vector<SiteSetting> list_settings(std::string_view text, std::string_view source);

/// The file that read_site(path) reads.
std::string site_path(const std::string& path);

} // namespace mscale::contract
