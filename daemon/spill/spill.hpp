#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/keeper/segment_store.hpp"
#include "daemon/mscaled/worker.hpp"
#include "daemon/spill/request.hpp"
#include "recovery/spill_file.hpp"

namespace mscale::daemon {

/// The files of snapshots, as mscaled sees them: each act is a run of mscale-spill, which becomes the job's user first.
/// mscaled itself opens none of them.  Writing and looking have threads of their own; both may wait for a file system.
class Spill {
public:
    /// `program` is the path of mscale-spill; `rate` gives the bytes a second that a node may write.
    Spill(Loop& loop, std::string program, std::function<std::uint64_t()> rate);

    /// A slot of a held segment.
    struct Source {
        std::shared_ptr<HeldSegment> segment;
        unsigned slot = 0;
    };
    using Done = std::function<void(const Result<void>&)>;
    /// Writes one epoch's slots; `done` gets the first error, after which the rest isn't written.
    void write(const SpillPlace& place, const recovery::CommitRecord& record, const std::string& node,
               std::vector<Source> sources, Done done);
    /// All ranks' files of the epoch are there: the manifest, and older files go.
    void settle(const SpillPlace& place, const recovery::CommitRecord& record, const std::string& node, Done done);
    using Listed = std::function<void(const Result<std::vector<recovery::SpilledEpoch>>&)>;
    /// What the directory of a job holds; no_snapshot when it isn't there, snapshot_foreign when it is another user's.
    void list(const SpillPlace& place, std::uint32_t job_id, Listed listed);

    /// Puts a rank's file of `record` into `slot` of its memory, unverified.  Waits: only for a Worker.
    Result<void> read(const SpillPlace& place, const recovery::CommitRecord& record, const HeldSegment& segment,
                      std::uint32_t rank, unsigned slot) const;
    /// Puts a piece of a rank's file of `record` at the begin of the data of `slot` of `into`, unverified.  Waits as `read`.
    Result<void> read_piece(const SpillPlace& place, const recovery::CommitRecord& record,
                            const recovery::PieceRequest& piece, const HeldSegment& into, unsigned slot) const;

private:
    Result<Json> run(const SpillRequest& request, const std::vector<int>& descriptors) const;
    Result<void> run_write(SpillRequest request, const std::vector<Source>& sources) const;
    Result<std::vector<recovery::SpilledEpoch>> run_list(const SpillRequest& request) const;

    std::string program_;
    std::function<std::uint64_t()> rate_;
    Worker writing_, looking_;
};

} // namespace mscale::daemon
