#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>

#include "daemon/mscaled/loop.hpp"

namespace mscale::daemon {

/// One thread for calls that block: libslurm, munge, the name service, mscale-node.  Work runs in the order it was
/// given.
class Worker {
public:
    /// No more than `capacity` pieces of work wait; what others can ask for without end needs such a bound.
    explicit Worker(Loop& loop, std::size_t capacity = std::numeric_limits<std::size_t>::max());
    /// Waits for the work that runs; what waits behind it is dropped.
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Runs `work` on the thread and then `done` with its result on the loop; what `work` throws is a failure.  Where
    /// the queue is full, `done` gets `overloaded` soon and `work` never runs.  `work` must own all that it reads.
    template <class Value> void run(std::function<Value()> work, std::function<void(Value)> done)
    {
        auto finish = std::make_shared<std::function<void(Value)>>(std::move(done));
        const bool queued = enqueue([this, work = std::move(work), finish]() mutable {
            hand_over(std::move(finish), attempt(work));
        });
        if (!queued) hand_over<Value>(std::move(finish), tl::unexpected(overloaded()));
    }

private:
    /// `finish` lives and dies on the loop, so that what it owns needs no lock.
    template <class Value> void hand_over(std::shared_ptr<std::function<void(Value)>> finish, Value value)
    {
        loop_.post([finish = std::move(finish), value = std::move(value)]() mutable {
            (*finish)(std::move(value));
        });
    }
    template <class Value> static Value attempt(const std::function<Value()>& work)
    {
        try {
            return work();
        } catch (const std::exception& e) {
            return tl::unexpected(given_up(e.what()));
        }
    }
    static Error overloaded();
    static Error given_up(const char* why);
    /// False when the queue is full.
    bool enqueue(std::function<void()> task);
    void serve();

    Loop& loop_;
    const std::size_t capacity_;
    std::mutex mutex_; // guards tasks_ and stopping_
    std::condition_variable wakeup_;
    std::deque<std::function<void()>> tasks_;
    bool stopping_ = false;
    std::thread thread_;
};

} // namespace mscale::daemon
