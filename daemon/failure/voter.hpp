#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "daemon/failure/peer_network.hpp"
#include "daemon/mscaled/loop.hpp"
#include "daemon/mscaled/worker.hpp"

namespace mscale::daemon {

/// What a node found when it was asked whether another one is dead.
struct Ballot {
    bool silent = false;  ///< nothing was heard from it for too long
    bool answers = false; ///< it answers on the port of its slurmd
    bool reaches = false; ///< slurmctld answers this node
    bool operator==(const Ballot&) const = default;
};
Json to_json(const Ballot& ballot);
Result<Ballot> ballot_from_json(const Json& json, const std::string& what);

/// Answers for this node whether another one is dead.  Lives on the loop.
class Voter {
public:
    /// `reaches` says whether slurmctld answers; it runs on `slurm`, a thread that may wait for it.
    Voter(Loop& loop, const PeerNetwork& network, Worker& slurm, std::function<bool()> reaches)
        : loop_(loop), network_(network), slurm_(slurm), reaches_(std::move(reaches))
    {
    }

    /// Tries the suspect's slurmd and slurmctld at the same time, asks `is_silent` when both are known, and calls `done`
    /// once.  `limit` is for the suspect's answer.
    void vote(const std::string& suspect, std::chrono::milliseconds limit, std::function<bool()> is_silent,
              std::function<void(Ballot)> done);

private:
    Loop& loop_;
    const PeerNetwork& network_;
    Worker& slurm_;
    std::function<bool()> reaches_;
};

} // namespace mscale::daemon
