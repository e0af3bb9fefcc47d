#include "daemon/mscaled/loop.hpp"

#include <algorithm>
#include <cerrno>
#include <exception>

#include <poll.h>
#include <sys/eventfd.h>

#include "base/log.hpp"

namespace mscale::daemon {

Result<std::unique_ptr<Loop>> Loop::create()
{
    Fd wakeup(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    if (!wakeup) return os_failure(Code::node_act, "eventfd", errno);
    std::unique_ptr<Loop> loop(new Loop(std::move(wakeup)));
    Loop* self = loop.get();
    loop->watch(self->wakeup_.number(), POLLIN, [self](short) { self->run_posted(); });
    return loop;
}

void Loop::watch(int fd, short events, Ready ready)
{
    watches_[fd] = std::make_shared<Watch>(Watch{events, std::move(ready)});
}

void Loop::unwatch(int fd)
{
    watches_.erase(fd);
}

Loop::TimerId Loop::after(std::chrono::milliseconds delay, Call call)
{
    const TimerId id = next_timer_++;
    timers_.emplace(Clock::now() + delay, Timer{id, std::move(call)});
    return id;
}

void Loop::every(std::chrono::milliseconds interval, Call call)
{
    every([interval] { return interval; }, std::move(call));
}

void Loop::every(std::function<std::chrono::milliseconds()> interval, Call call)
{
    after(interval(), [this, interval, call = std::move(call)] {
        guard(call);
        every(interval, call);
    });
}

void Loop::guard(const Call& call)
{
    try {
        call();
    } catch (const std::exception& e) {
        if (told_ == e.what()) return;
        told_ = e.what();
        log_line(Level::error, "a call of the daemon failed, the daemon goes on: " + told_);
    }
}

void Loop::cancel(TimerId timer)
{
    std::erase_if(timers_, [timer](const auto& entry) { return entry.second.id == timer; });
}

void Loop::post(Call call)
{
    {
        const std::lock_guard guard(mutex_);
        posted_.push_back(std::move(call));
    }
    eventfd_write(wakeup_.number(), 1);
}

int Loop::timeout() const
{
    if (timers_.empty()) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(timers_.begin()->first - Clock::now());
    return static_cast<int>(std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, 60'000));
}

void Loop::run_timers()
{
    const auto now = Clock::now();
    while (!timers_.empty() && timers_.begin()->first <= now) {
        const Call call = std::move(timers_.begin()->second.call);
        timers_.erase(timers_.begin());
        guard(call);
    }
}

void Loop::run_posted()
{
    eventfd_t count = 0;
    eventfd_read(wakeup_.number(), &count);
    std::vector<Call> calls;
    {
        const std::lock_guard guard(mutex_);
        calls.swap(posted_);
    }
    for (const Call& call : calls) guard(call);
}

Result<void> Loop::wait_and_dispatch()
{
    std::vector<pollfd> polled;
    for (const auto& [fd, watch] : watches_) polled.push_back({fd, watch->events, 0});
    const int ready = poll(polled.data(), polled.size(), timeout());
    if (ready < 0 && errno != EINTR) return os_failure(Code::node_act, "poll", errno);
    run_timers();
    for (const pollfd& entry : polled) {
        if (ready <= 0 || entry.revents == 0) continue;
        const auto found = watches_.find(entry.fd);
        if (found == watches_.end()) continue;
        const std::shared_ptr<Watch> held = found->second; // the callback may unwatch itself
        guard([&] { held->ready(entry.revents); });
    }
    return {};
}

Result<void> Loop::run()
{
    running_ = true;
    while (running_) {
        if (auto turn = wait_and_dispatch(); !turn) return turn;
    }
    return {};
}

} // namespace mscale::daemon
