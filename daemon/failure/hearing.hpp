#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/failure/beat.hpp"
#include "daemon/failure/job_view.hpp"
#include "recovery/detector.hpp"
#include "recovery/session_key.hpp"

namespace mscale::daemon {

/// One moment, by the clock that never goes back and by the one that people read.
struct Moment {
    recovery::Detector::Time steady;
    std::chrono::milliseconds wall{0}; ///< since 1970
};
Moment read_clocks();

/// One run of a job.
struct JobRun {
    std::uint32_t job_id = 0;
    std::uint32_t restarts = 0; ///< Slurm's restart count
    bool operator==(const JobRun&) const = default;
};

/// What one node hears from the others of one run of a job: proves their beats, and knows who is silent, dead or gone.  Pure.
class Hearing {
public:
    /// `watched` are the nodes that beat to this one.  One that was never heard is suspected only after `grace`: it may
    /// still be in its prolog.
    Hearing(const JobRun& run, const recovery::Timing& timing, const std::vector<std::string>& watched,
            const Moment& now, std::chrono::milliseconds grace);

    enum class Verdict {
        heard,
        stranger, ///< of another run, or of a node that doesn't beat to this one
        unproven, ///< its key isn't known, or another one: it is to be asked for
        stale     ///< its sequence doesn't rise: a repetition
    };
    /// `bytes` are those that `beat` was read from.
    Verdict take(const Beat& beat, std::string_view bytes, const Moment& now);

    /// The key that a node gave when it was asked.  Only a key that differs from the known one begins a new sequence.
    void use_key(const std::string& node, recovery::SessionKey key);
    /// The nodes whose key is to be asked for.
    std::vector<std::string> unproven() const;

    /// This node's own beat went out.
    void own_beat(const Moment& now) { detector_.own_beat(now.steady); }
    /// The nodes that are silent for too long; none while this node itself was late.
    std::vector<std::string> suspects(const Moment& now) const { return detector_.suspects(now.steady); }
    /// Those that will be silent for too long when a vote that begins now is over.
    std::vector<std::string> doubtful(const Moment& now) const { return detector_.doubtful(now.steady); }
    bool is_suspect(const std::string& node, const Moment& now) const;
    /// When a node was last heard, since 1970; when the run began here if it never was.
    std::chrono::milliseconds last_heard(const std::string& node) const;

    /// The death of a node is agreed on, or more is known of it.
    void settle(const DeadNode& dead);
    bool is_dead(const std::string& node) const;
    const std::vector<DeadNode>& dead() const { return dead_; }
    /// The nodes that live, as far as is known, and that nothing was heard of for so long.
    std::vector<std::string> silent(const Moment& now, std::chrono::milliseconds limit) const;
    /// What each node has told last, without those that never told anything.
    std::map<std::string, NodeProgress> progress() const;

private:
    struct Peer {
        std::optional<recovery::SessionKey> key;
        bool wants_key = true;
        std::uint64_t sequence = 0; ///< of the last beat
        std::chrono::milliseconds last_heard{0};
        std::optional<NodeProgress> progress;
    };
    void hear(const Beat& beat, Peer& peer, const Moment& now);

    JobRun run_;
    recovery::Detector detector_;
    std::map<std::string, Peer> peers_;
    std::vector<DeadNode> dead_;
    std::chrono::milliseconds began_;
};

} // namespace mscale::daemon
