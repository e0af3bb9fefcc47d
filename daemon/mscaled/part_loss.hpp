#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/json_forward.hpp"
#include "daemon/mscaled/part.hpp"

/// A node lives on without one of its parts: which way back there is.  Pure.
namespace mscale::daemon {

/// How a job comes back from the loss of a part.
enum class WayBack {
    reroute,  ///< the training goes on: other ports carry the data, or TCP does
    relaunch, ///< the ranks begin again here from the last commit, with another part that satisfies the clause
    leave,    ///< the ranks begin again from the last commit, on another node of the job
    breach    ///< nothing satisfies the clause: the contract's on_breach decides
};

std::string_view to_string(WayBack way);

/// A part that a job had and that is gone for certain.
struct LostPart {
    Part part;
    std::string found; ///< what is there instead: "DOWN", "absent"
    std::string other; ///< what takes its place: "mlx5_1:1", "TCP", "nvme1n1 (S4Y)"; "" nothing
    WayBack way = WayBack::breach;
    std::chrono::milliseconds whole{0}; ///< when it was seen whole last, since 1970
    std::chrono::milliseconds known{0}; ///< when it was certain
    std::optional<std::uint32_t> step = {}; ///< the newest step of srun that had it; nothing where there was none
    bool operator==(const LostPart&) const = default;
};

/// Without a GPU a rank can't compute here, so that it goes to another node; without its drive the contract says what it can.
/// `other` is what satisfies the clause in its place, "" when nothing does.
WayBack choose_way_back(PartKind kind, const std::string& other);

/// What carries the data of a port that is down: the first port of the contract that isn't, else TCP.
std::string choose_carrier(const std::vector<PartFinding>& findings);

/// True once a later step of srun trains: what the ranks had before is no loss of theirs any more.
bool is_past(const LostPart& lost, std::uint32_t newest_step);

/// "drive nvme0n1 (S4X) is absent, nvme1n1 (S4Y) takes its place".
std::string describe(const LostPart& lost);

Json to_json(const LostPart& lost);
Result<LostPart> lost_part_from_json(const Json& json, const std::string& what);

} // namespace mscale::daemon
