#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/handle.hpp"

namespace mscale::daemon {

/// The daemon's one thread of decisions: poll(2), timers and functions that other threads hand over.
/// Nothing that is called from here may block; what can block runs in a Worker.  What a call throws ends that call
/// alone: it is logged, the same text once in a row.
class Loop {
public:
    using Call = std::function<void()>;
    using Ready = std::function<void(short events)>; ///< events as poll(2) gives them
    using TimerId = std::uint64_t;

    static Result<std::unique_ptr<Loop>> create();

    /// Calls `ready` whenever `fd` has one of `events`; a second call for the same fd replaces the first.
    void watch(int fd, short events, Ready ready);
    /// Forgets `fd`; allowed from within its own callback, and needed before the fd is closed.
    void unwatch(int fd);

    /// Calls `call` once, no earlier than `delay` from now.
    TimerId after(std::chrono::milliseconds delay, Call call);
    /// Calls `call` again and again, `interval` after the end of each call, until the loop ends.
    void every(std::chrono::milliseconds interval, Call call);
    /// The same with an interval that is asked for after each call.
    void every(std::function<std::chrono::milliseconds()> interval, Call call);
    void cancel(TimerId timer);

    /// Hands `call` to the loop; the only member that other threads may use.
    void post(Call call);

    /// Runs until `stop`.  An error is one of poll(2) itself.
    Result<void> run();
    void stop() { running_ = false; }

    Loop(Loop&&) = delete;
    ~Loop() = default;

private:
    using Clock = std::chrono::steady_clock;
    struct Watch {
        short events;
        Ready ready;
    };
    struct Timer {
        TimerId id;
        Call call;
    };

    explicit Loop(Fd wakeup) : wakeup_(std::move(wakeup)) {}
    int timeout() const;
    void guard(const Call& call);
    void run_timers();
    void run_posted();
    Result<void> wait_and_dispatch();

    Fd wakeup_;
    bool running_ = false;
    std::string told_; // the fault that was logged last
    TimerId next_timer_ = 1;
    std::map<int, std::shared_ptr<Watch>> watches_;
    std::multimap<Clock::time_point, Timer> timers_;
    std::mutex mutex_; // guards posted_
    std::vector<Call> posted_;
};

} // namespace mscale::daemon
