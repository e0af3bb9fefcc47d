#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_forward.hpp"
#include "recovery/choice.hpp"
#include "recovery/commit.hpp"

/// What keepers say to each other about a job's snapshots.  Pure.
namespace mscale::daemon {

/// A rank's snapshot is held as often as was promised.
struct Prepared {
    std::uint32_t job_id = 0;
    recovery::Incarnation incarnation;
    std::uint32_t ranks = 0;
    std::uint32_t rank = 0;
    std::uint64_t epoch = 0;
    std::uint64_t step = 0;
    bool operator==(const Prepared&) const = default;
};
Json to_json(const Prepared& prepared);
Result<Prepared> prepared_from_json(const Json& json, const std::string& what);

/// A rank will never hold an epoch; older ones that it holds may still be prepared.
struct Skipped {
    Prepared epoch;
    std::vector<std::uint64_t> held;
    bool operator==(const Skipped&) const = default;
};
Json to_json(const Skipped& skipped);
Result<Skipped> skipped_from_json(const Json& json, const std::string& what);

/// How far the ranks of one node are at the start of a run.
struct RestoreState {
    struct Ready {
        std::uint32_t rank = 0;
        std::uint64_t epoch = 0; ///< verified here; 0: it was told that there is none
        bool operator==(const Ready&) const = default;
    };
    struct Failed {
        std::uint32_t rank = 0;
        std::uint64_t epoch = 0;
        std::string node; ///< whose copy can't be used
        recovery::Tier tier = recovery::Tier::memory; ///< which of its copies
        std::string why; ///< for the message where nothing is left
        bool operator==(const Failed&) const = default;
    };
    std::uint32_t job_id = 0;
    recovery::Incarnation incarnation;
    std::uint32_t ranks = 0;
    std::vector<Ready> ready;
    std::vector<Ready> confirmed; ///< epochs that programs have taken back into their own memory
    std::vector<Failed> failed;
    std::vector<std::uint64_t> rejected; ///< epochs that a program of this node can't use
    bool operator==(const RestoreState&) const = default;
};
Json to_json(const RestoreState& state);
Result<RestoreState> restore_state_from_json(const Json& json, const std::string& what);

/// Where one rank's snapshot is held.
struct RankSources {
    std::vector<std::string> nodes;   ///< that have it in memory
    std::vector<std::string> spilled; ///< that saw its file in the directory of ft.spill
    std::optional<recovery::RebuildPlan> rebuild = {}; ///< where no node has it in memory, and its group has enough
    bool operator==(const RankSources&) const = default;
};

/// What the coordinator answers to a RestoreState.
struct RestoreAnswer {
    bool gathered = false;                        ///< false: the nodes haven't said yet what they hold
    bool go = false;                              ///< every rank is ready: the programs may take it
    bool settled = false;                         ///< every program has taken it: the training may go on
    std::optional<recovery::CommitRecord> record; ///< to go on from; nothing: from the beginning
    std::vector<RankSources> sources; ///< for each rank of the record
    std::vector<std::uint32_t> missing; ///< ranks that aren't ready, for a message
    bool operator==(const RestoreAnswer&) const = default;
};
Json to_json(const RestoreAnswer& answer);
Result<RestoreAnswer> restore_answer_from_json(const Json& json, const std::string& what);

/// What one node holds of a job.
struct Holdings {
    std::vector<recovery::CommitRecord> records;
    std::vector<recovery::HeldCopy> copies;
    std::vector<std::string> earlier; ///< nodes of the run before, as the node knows them
    bool operator==(const Holdings&) const = default;
};
Json to_json(const Holdings& holdings);
Result<Holdings> holdings_from_json(const Json& json, const std::string& node);

} // namespace mscale::daemon
