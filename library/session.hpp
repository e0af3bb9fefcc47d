#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "library/channel.hpp"
#include "library/memory.hpp"
#include "library/rank.hpp"
#include "library/terms.hpp"

namespace mscale::library {

/// How long the calls that may wait do.
struct Patience {
    std::chrono::milliseconds connect{30000};  ///< for a keeper that is starting again
    std::chrono::milliseconds answer{1800000}; ///< for a keeper that fetches a snapshot from another node
    std::chrono::milliseconds reconnect{1000}; ///< between two attempts while the training runs
    std::chrono::milliseconds glance{5};       ///< for the answer to such an attempt
    std::chrono::milliseconds last_save{60000};    ///< before the job's end, until there is room for the last save
    std::chrono::milliseconds last_commit{600000}; ///< and until that is committed
};

/// What a rank says of itself when it joins.
struct JoinRequest {
    std::string path; ///< of the keeper's socket
    Rank rank;
    std::uint64_t state_bytes = 0;
    bool elastic = false; ///< it can take its part of what another number of ranks wrote
};

/// This rank at its keeper, for as long as the program runs: the memory stays mapped when the keeper goes away, and the
/// connection is made anew beside the training.
class Session {
public:
    using Clock = std::chrono::steady_clock;

    /// Joins, waiting for the keeper; keeper_lost when it stays silent, else the keeper's own refusal.
    static Result<Session> join(const JoinRequest& request, const Patience& patience = {});

    /// Joins as at the start, for a rank that waits at the begin of its run when the keeper goes away: memory and terms are
    /// new afterwards.
    Result<void> join_anew();

    const Terms& terms() const { return terms_; }
    const Patience& patience() const { return patience_; }
    recovery::SegmentView segment() const { return memory_.view(); }
    /// True when the keeper knows this rank.
    bool connected() const { return channel_ && !joining_; }
    int descriptor() const { return channel_.number(); }
    /// Why the keeper will not have this rank back: a newer run of the job has taken over.
    const std::optional<Error>& fenced() const { return fenced_; }

    /// What a call of pump has found.
    enum class Joined { before, anew, with_new_memory };
    /// Takes what the keeper has pushed, and joins anew when it was gone.  Waits at most `glance`, and that at most
    /// every `reconnect`.  Not while a save or a restore is under way: the memory may be replaced.
    Joined pump(Clock::time_point now);
    /// The events that were pushed since the last call.
    std::vector<Json> take_events();
    /// False when it could not be delivered now.  Doesn't wait.
    bool tell(const Json& message);
    /// Waits for the answer.
    Result<Json> ask(const Json& message);
    void leave();
    /// In a child of fork: lets go of what is the parent's, and of nothing else.
    void forget() { channel_.close(); }

private:
    Session() = default;

    Json join_message(bool have) const;
    Result<void> join_once();
    Result<Json> wait_for_answer(std::chrono::milliseconds patience);
    Result<void> accept(const Json& answer, Fd&& descriptor);
    Result<std::optional<Json>> receive_answer(std::chrono::milliseconds wait);
    void reconnect(Clock::time_point now);
    Joined finish_join();
    Joined accept_again(const Json& answer);
    void take_pushed();

    JoinRequest request_;
    Patience patience_;
    Channel channel_;
    Memory memory_;
    Terms terms_;
    bool joining_ = false; // the join was sent again and not yet answered
    Fd passed_;            // came with the newest answer
    Clock::time_point last_attempt_{};
    std::optional<Error> fenced_;
    std::vector<Json> events_;
};

} // namespace mscale::library
