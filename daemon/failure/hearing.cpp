#include "daemon/failure/hearing.hpp"

#include <algorithm>

namespace mscale::daemon {

Moment read_clocks()
{
    using std::chrono::system_clock;
    return {std::chrono::steady_clock::now(),
            std::chrono::duration_cast<std::chrono::milliseconds>(system_clock::now().time_since_epoch())};
}

Hearing::Hearing(const JobRun& run, const recovery::Timing& timing, const std::vector<std::string>& watched,
                 const Moment& now, std::chrono::milliseconds grace)
    : run_(run), detector_(timing, {}, now.steady), began_(now.wall)
{
    for (const std::string& node : watched) {
        peers_[node].last_heard = now.wall;
        detector_.watch(node, now.steady + grace);
    }
}

Hearing::Verdict Hearing::take(const Beat& beat, std::string_view bytes, const Moment& now)
{
    const auto found = peers_.find(beat.node);
    if (found == peers_.end() || JobRun{beat.job_id, beat.run} != run_) return Verdict::stranger;
    Peer& peer = found->second;
    if (!peer.key || !is_signed(bytes, *peer.key)) {
        peer.wants_key = true;
        return Verdict::unproven;
    }
    if (beat.sequence <= peer.sequence) return Verdict::stale;
    hear(beat, peer, now);
    return Verdict::heard;
}

void Hearing::hear(const Beat& beat, Peer& peer, const Moment& now)
{
    const auto dead = std::ranges::find(dead_, beat.node, &DeadNode::node);
    peer.sequence = beat.sequence;
    peer.progress = beat.progress;
    peer.last_heard = now.wall;
    if (dead != dead_.end() && dead->down) return; // the allocation has lost it, whatever it says
    if (dead != dead_.end()) dead_.erase(dead);
    if (beat.farewell)
        detector_.forget(beat.node);
    else
        detector_.watch(beat.node, now.steady);
}

void Hearing::use_key(const std::string& node, recovery::SessionKey key)
{
    const auto found = peers_.find(node);
    if (found == peers_.end()) return;
    Peer& peer = found->second;
    peer.wants_key = false;
    if (peer.key && peer.key->expose() == key.expose()) return;
    peer.key = std::move(key);
    peer.sequence = 0;
}

std::vector<std::string> Hearing::unproven() const
{
    std::vector<std::string> nodes;
    for (const auto& [node, peer] : peers_)
        if (peer.wants_key && !is_dead(node)) nodes.push_back(node);
    return nodes;
}

bool Hearing::is_suspect(const std::string& node, const Moment& now) const
{
    return std::ranges::count(suspects(now), node) > 0;
}

std::chrono::milliseconds Hearing::last_heard(const std::string& node) const
{
    const auto found = peers_.find(node);
    return found == peers_.end() ? began_ : found->second.last_heard;
}

void Hearing::settle(const DeadNode& dead)
{
    detector_.forget(dead.node);
    const auto known = std::ranges::find(dead_, dead.node, &DeadNode::node);
    if (known == dead_.end())
        dead_.push_back(dead);
    else if (!known->down)
        *known = dead;
}

bool Hearing::is_dead(const std::string& node) const
{
    return std::ranges::find(dead_, node, &DeadNode::node) != dead_.end();
}

std::vector<std::string> Hearing::silent(const Moment& now, std::chrono::milliseconds limit) const
{
    std::vector<std::string> nodes;
    for (const auto& [node, peer] : peers_)
        if (!is_dead(node) && now.wall - peer.last_heard > limit) nodes.push_back(node);
    return nodes;
}

std::map<std::string, NodeProgress> Hearing::progress() const
{
    std::map<std::string, NodeProgress> progress;
    for (const auto& [node, peer] : peers_)
        if (peer.progress) progress[node] = *peer.progress;
    return progress;
}

} // namespace mscale::daemon
