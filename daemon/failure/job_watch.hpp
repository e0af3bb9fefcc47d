#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "daemon/failure/beat_socket.hpp"
#include "daemon/failure/inquest.hpp"

namespace mscale::daemon {

/// The watch over the nodes of one run of a job: beats go out, those of the others come in.  Lives on the loop.
class JobWatch : public std::enable_shared_from_this<JobWatch> {
public:
    using Progress = std::function<NodeProgress(std::uint32_t job_id)>;
    struct Parts {
        Inquest::Parts inquest;
        const BeatSocket& socket;
        Progress progress; ///< of this node's own ranks
    };
    static std::shared_ptr<JobWatch> start(const Parts& parts, const WatchedJob& job);

    /// The job has left this node: the others are told, and nothing is done any more.
    void end();

    const WatchedJob& job() const { return job_; }
    const Hearing& hearing() const { return *hearing_; }
    /// What proves this node's beats, in hexadecimal: for root of another node only.
    std::string tell_key() const;
    void take(const Beat& beat, std::string_view bytes);
    /// Another node tells of a death.
    void settle(const DeadNode& dead) { hearing_->settle(dead); }
    /// This node's opinion of another one; true of a node that it doesn't listen to.
    bool is_silent(const std::string& node) const;

private:
    JobWatch(const Parts& parts, const WatchedJob& job);
    void beat();
    void look();
    void send(bool farewell);
    void ask_for_keys(const Moment& now);
    void take_key(const std::string& node, const Result<Json>& answer);

    Parts parts_;
    WatchedJob job_;
    std::vector<std::string> listeners_, watched_;
    recovery::SessionKey key_;
    std::uint64_t sequence_ = 0;
    std::shared_ptr<Hearing> hearing_;
    std::shared_ptr<Inquest> inquest_;
    std::map<std::string, recovery::Detector::Time> next_question_; // for the key of a node
    bool ended_ = false;
};

} // namespace mscale::daemon
