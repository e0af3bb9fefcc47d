#include "daemon/mscaled/worker.hpp"

#include <exception>

#include "base/log.hpp"

namespace mscale::daemon {

Worker::Worker(Loop& loop) : loop_(loop), thread_([this] { serve(); }) {}

Worker::~Worker()
{
    {
        const std::lock_guard guard(mutex_);
        stopping_ = true;
        tasks_.clear();
    }
    wakeup_.notify_one();
    thread_.join();
}

void Worker::enqueue(std::function<void()> task)
{
    {
        const std::lock_guard guard(mutex_);
        tasks_.push_back(std::move(task));
    }
    wakeup_.notify_one();
}

void Worker::serve()
{
    std::unique_lock lock(mutex_);
    while (true) {
        wakeup_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
        if (stopping_) return;
        const std::function<void()> task = std::move(tasks_.front());
        tasks_.pop_front();
        lock.unlock();
        try {
            task();
        } catch (const std::exception& e) {
            log_line(Level::error, std::string("a call of the daemon was given up: ") + e.what());
        }
        lock.lock();
    }
}

} // namespace mscale::daemon
