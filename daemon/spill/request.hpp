#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json_forward.hpp"
#include "recovery/commit.hpp"
#include "recovery/piece_transfer.hpp"

/// What mscaled asks of mscale-spill on its standard input.  Pure.
namespace mscale::daemon {

/// Whose files, and where: what a job's contract and its ledger say.
struct SpillPlace {
    std::uint32_t uid = 0, gid = 0;
    std::string directory; ///< as in ft.spill, with %u and %j
    /// When the job began, seconds since 1970, in its first run, else 0: older files are those of another job, which had this
    /// number before Slurm's numbers began anew.
    std::uint64_t since = 0;
    bool operator==(const SpillPlace&) const = default;
};

enum class SpillAct {
    write,  ///< the slots that are passed become files
    settle, ///< the manifest, since every rank's file is there; then what may go is removed
    list,   ///< what there is
    read,   ///< a file is put into the slot that is passed
    piece   ///< a part of a file is put at the begin of that slot's data
};

struct SpillRequest {
    /// One rank's memory; its descriptor is passed, in the order of the list, from 3 on.
    struct Slot {
        std::uint32_t rank = 0;
        unsigned slot = 0;
        std::uint64_t data_bytes = 0; ///< for which the segment is laid out
        bool operator==(const Slot&) const = default;
    };
    /// A part of a rank's file.
    struct Piece {
        recovery::PieceKind kind = recovery::PieceKind::data;
        std::uint64_t at = 0, bytes = 0;
        bool operator==(const Piece&) const = default;
    };
    SpillAct act = SpillAct::list;
    SpillPlace place;
    recovery::CommitRecord record; ///< for `list` only the job counts
    std::string node;              ///< this node's name
    std::uint64_t rate = 0;        ///< bytes a second, not 0
    std::vector<Slot> slots;
    Piece piece = {}; ///< for `piece`
    bool operator==(const SpillRequest&) const = default;
};

Json to_json(const SpillRequest& request);
Result<SpillRequest> spill_request_from_json(const Json& json);

} // namespace mscale::daemon
