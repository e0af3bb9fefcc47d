#include "submit/helper_thread.hpp"

#include <condition_variable>
#include <exception>
#include <string>
#include <thread>

#include <pthread.h>
#include <signal.h>

#include "base/error.hpp"
#include "base/log.hpp"

namespace mscale::submit {

namespace {

/// All signals blocked while it lives; a thread made meanwhile keeps them blocked.
class BlockedSignals {
public:
    BlockedSignals()
    {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;
    ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_;
};

} // namespace

void run_and_log(const std::function<void()>& body) noexcept
{
    try {
        body();
    } catch (const std::exception& e) {
        log_error("a helper thread", failure(Code::node_act, e.what()).value());
    } catch (...) {
        log_error("a helper thread", failure(Code::node_act, "unknown exception").value());
    }
}

void start_thread(std::function<void()> body)
{
    const BlockedSignals blocked;
    std::thread([body = std::move(body)] { run_and_log(body); }).detach();
}

struct TimedCall::Call {
    std::mutex mutex;
    std::condition_variable ended;
    bool has_ended = false;

    bool wait_for(std::chrono::milliseconds time)
    {
        std::unique_lock lock(mutex);
        return ended.wait_for(lock, time, [&] { return has_ended; });
    }
    void end()
    {
        const std::lock_guard lock(mutex);
        has_ended = true;
        ended.notify_all();
    }
};

bool TimedCall::run(std::function<void()> task, std::chrono::milliseconds time)
{
    const std::lock_guard lock(one_at_a_time_);
    if (last_ && !last_->wait_for(std::chrono::milliseconds(0))) return false;
    last_ = std::make_shared<Call>();
    start_thread([task = std::move(task), call = last_] {
        run_and_log(task);
        call->end();
    });
    return last_->wait_for(time);
}

} // namespace mscale::submit
