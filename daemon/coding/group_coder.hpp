#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/json_forward.hpp"
#include "daemon/coding/coded_slot.hpp"
#include "daemon/coding/messages.hpp"
#include "daemon/coding/piece_streams.hpp"
#include "daemon/keeper/keepers.hpp"
#include "daemon/mscaled/worker.hpp"

namespace mscale::daemon {

/// Makes the coded parts that this node's ranks hold, for jobs with ft.redundancy.  Lives on the loop; the work is on a thread.
///
///   a run starts     members: every node says which ranks it runs   -> the same groups everywhere
///   a rank seals     shards: the nodes of its group are told, and say what they have
///   all of a group   the rank's coded part is made of pieces of the others   -> coded
class GroupCoder {
public:
    struct Run {
        std::uint32_t job_id = 0;
        recovery::Incarnation incarnation;
        std::uint32_t ranks = 0;
        recovery::CodingScheme scheme;
        bool operator==(const Run&) const = default;
    };
    struct Hooks {
        /// The ranks of a run that run on this node.
        std::function<std::vector<std::uint32_t>(std::uint32_t job_id, const recovery::Incarnation& run)> local_ranks;
        /// Whether memory for a coded part of so many bytes may be had; called from any thread.
        std::function<Result<void>(std::uint64_t room)> admit;
        /// What became of the coded part of a rank's epoch; an error is followed by another try.
        std::function<void(const std::shared_ptr<HeldSegment>&, const recovery::SlotHeader& shard, const Result<void>& made)>
            coded;
    };

    GroupCoder(Loop& loop, Keepers& keepers, SegmentStore& store, const recovery::Introduction& introduction,
               const recovery::Timing& timing, Hooks hooks);

    /// Finds the groups of a run whose ranks have all joined.  no_partner when they can't be kept apart, deadline when some rank
    /// runs nowhere.
    using Placed = std::function<void(const Result<void>&)>;
    void place(const Run& run, Placed placed);
    /// The slot of a rank of this node holds a snapshot of the run, or what the run goes on from.
    void seal(const Run& run, std::shared_ptr<HeldSegment> own, const recovery::SlotHeader& header);

    /// True for the operations of other keepers that are answered here.
    static bool knows(const std::string& op) { return op == "members" || op == "shards"; }
    void answer(const std::string& op, const Json& body, const Keepers::Answer& answer);
    /// Tells and tries again what isn't coded yet.
    void again();
    void forget(std::uint32_t job_id) { jobs_.erase(job_id); }
    /// The failure domain that holds so many of a group that its loss can't be made good; "" when none does.
    std::string exposure_of(std::uint32_t job_id) const;

private:
    struct ShardKey {
        std::uint32_t rank = 0;
        std::uint64_t epoch = 0;
        auto operator<=>(const ShardKey&) const = default;
    };
    /// Of a rank of this node.
    struct OwnShard {
        std::shared_ptr<HeldSegment> own;
        Shard shard;
        bool busy = false, done = false;
        std::string fault; ///< why it couldn't be coded last
    };
    struct Job {
        Run run;
        std::map<std::uint32_t, std::string> nodes; ///< by rank
        recovery::RankGroups groups;                ///< once every rank is known
        std::string exposure;
        std::optional<std::string> domain; ///< of this node: as it was told first, or the nodes would form other groups
        std::vector<Placed> waiting;                ///< for that
        std::chrono::steady_clock::time_point asked;
        std::map<ShardKey, Shard> shards; ///< of all ranks that this node was told of
        std::map<ShardKey, OwnShard> own;
    };
    /// What a coded part is made of, and where that lies.
    struct Work {
        CodedOrder order;
        std::vector<std::string> nodes; ///< by member
        std::string self;
        std::vector<KeeperAddress> keepers;
    };

    Job* find_job(std::uint32_t job_id, const recovery::Incarnation& run);
    void ask_members(const Run& run);
    void take_members(const Run& run, const std::vector<std::pair<std::string, Json>>& answers);
    static Result<void> form_groups(Job& job, const std::vector<recovery::RankPlace>& places);
    std::string domain_for(std::uint32_t job_id, const recovery::Incarnation& run);
    static void end_placing(Job& job, const Result<void>& placed);
    void tell(const Run& run, const ShardKey& key);
    void take_news(const Json& json);
    void code_ready(Job& job);
    static const std::vector<std::uint32_t>* group_of(const Job& job, std::uint32_t rank);
    static std::optional<Work> find_work(const Job& job, const OwnShard& own);
    void begin(const Run& run, const ShardKey& key, Work work);
    Result<void> code(const Work& work);
    void on_coded(const Run& run, const ShardKey& key, const Result<void>& made);
    Json list_own(const Job& job) const;

    Keepers& keepers_;
    SegmentStore& store_;
    Hooks hooks_;
    std::map<std::uint32_t, Job> jobs_;
    PieceStreams pieces_; // of the thread `coding_` only
    Worker coding_;
};

} // namespace mscale::daemon
