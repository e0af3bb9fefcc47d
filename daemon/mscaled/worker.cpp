#include "daemon/mscaled/worker.hpp"

#include <exception>

#include "base/log.hpp"

namespace mscale::daemon {

Worker::Worker(Loop& loop, std::size_t capacity)
    : loop_(loop), capacity_(capacity), thread_([this] { serve(); })
{
}

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

Error Worker::overloaded()
{
    return failure(Code::overloaded, "more is asked of mscaled at once than it takes").value();
}

Error Worker::given_up(const char* why)
{
    return failure(Code::node_act, std::string("a call of the daemon was given up: ") + why).value();
}

bool Worker::enqueue(std::function<void()> task)
{
    {
        const std::lock_guard guard(mutex_);
        if (tasks_.size() >= capacity_) return false;
        tasks_.push_back(std::move(task));
    }
    wakeup_.notify_one();
    return true;
}

void Worker::serve()
{
    std::unique_lock lock(mutex_);
    while (true) {
        wakeup_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
        if (stopping_) return;
        std::function<void()> task = std::move(tasks_.front());
        tasks_.pop_front();
        lock.unlock();
        try {
            task();
        } catch (const std::exception& e) { // only what comes after the work, which is attempted on its own
            log_line(Level::error, std::string("a result was lost: ") + e.what());
        }
        task = nullptr;
        lock.lock();
    }
}

} // namespace mscale::daemon
