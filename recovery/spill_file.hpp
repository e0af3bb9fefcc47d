#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recovery/commit.hpp"

/// What a job's spill directory holds, as the names of its files tell it.  Names carry the run that wrote them, so that a
/// fenced run never replaces what a newer one wrote.  Pure.
namespace mscale::recovery {

/// run-RESTARTS.STEPID-epoch-E-step-S-rank-R-of-N.snapshot: one rank's snapshot.  Only what was committed is written, so that
/// each such file vouches for its record.
struct SpillFile {
    CommitRecord record;
    std::uint32_t rank = 0;
    bool operator==(const SpillFile&) const = default;
};
std::string name_snapshot(const SpillFile& file);
/// Nothing for a name that name_snapshot doesn't give.
std::optional<SpillFile> parse_snapshot(std::string_view name, std::uint32_t job_id);

/// run-RESTARTS.STEPID-epoch-E-step-S-of-N.json: the file of every rank of the epoch was in its place when this was written.
std::string name_manifest(const CommitRecord& record);
std::optional<CommitRecord> parse_manifest(std::string_view name, std::uint32_t job_id);

/// The file `name` while `node` writes it.
std::string name_unfinished(const std::string& name, const std::string& node);

/// The files that may go: all that is older than the second newest manifest.  Nothing that isn't ours.
std::vector<std::string> choose_pruned(const std::vector<std::string>& names, std::uint32_t job_id);

/// An epoch of which a directory holds some ranks' snapshots.
struct SpilledEpoch {
    CommitRecord record;
    std::vector<std::uint32_t> ranks; ///< ascending, each once
    bool operator==(const SpilledEpoch&) const = default;
};
/// The epochs of which the names tell, newest first.
std::vector<SpilledEpoch> list_spilled(const std::vector<std::string>& names, std::uint32_t job_id);

/// The record with "held": [[FIRST, LAST], …], the ranks.
Json to_json(const SpilledEpoch& epoch);
/// Any value may come.
Result<SpilledEpoch> spilled_from_json(const Json& json, const std::string& what);

} // namespace mscale::recovery
