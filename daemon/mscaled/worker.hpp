#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "daemon/mscaled/loop.hpp"

namespace mscale::daemon {

/// One thread for calls that block: libslurm, munge, mscale-node.  Work runs in the order it was given.
class Worker {
public:
    explicit Worker(Loop& loop);
    /// Waits for the work that runs; what waits behind it is dropped.
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Runs `work` on the thread and then `done` with its value on the loop.  `work` must own all that it
    /// reads.
    template <class Value> void run(std::function<Value()> work, std::function<void(Value)> done)
    {
        enqueue([this, work = std::move(work), done = std::move(done)] {
            Value value = work();
            loop_.post([done, value = std::move(value)]() mutable { done(std::move(value)); });
        });
    }

private:
    void enqueue(std::function<void()> task);
    void serve();

    Loop& loop_;
    std::mutex mutex_; // guards tasks_ and stopping_
    std::condition_variable wakeup_;
    std::deque<std::function<void()>> tasks_;
    bool stopping_ = false;
    std::thread thread_;
};

} // namespace mscale::daemon
