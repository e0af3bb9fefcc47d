// How a rank comes to its end when the job is to end: the notice, the common last step, its save and its commit.
#include <algorithm>
#include <thread>

#include <poll.h>

#include "base/json.hpp"
#include "library/client.hpp"
#include "library/notice.hpp"

namespace mscale::library {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds glance{10};

} // namespace

/// A notice that this process was given itself is a notice to all ranks.
void Client::tell_notice()
{
    const int signal = caught_notice();
    if (signal == 0 || told_notice_ || !session_.terms().ops.contains("at")) return;
    told_notice_ = session_.tell({{"op", "end"}, {"signal", signal}});
    departure_.begin();
}

/// Doesn't return from a step that may be the last one before that is known; see Departure.
void Client::hold(std::uint64_t step)
{
    while (!save_ && !restore_ && departure_.holds(step, Clock::now())) {
        const auto announced = departure_.announce(step, Clock::now());
        if (announced) session_.tell({{"op", "at"}, {"step", *announced}});
        wait_a_little();
        pump();
    }
}

void Client::wait_a_little() const
{
    pollfd ready{session_.descriptor(), POLLIN, 0};
    ::poll(&ready, 1, static_cast<int>(glance.count()));
}

/// The last save is no snapshot to leave out: the one before it is waited for.
Result<unsigned> Client::wait_for_slot()
{
    const auto until = Clock::now() + session_.patience().last_save;
    auto slot = choose_slot();
    while (!slot && Clock::now() < until) {
        std::this_thread::sleep_for(glance);
        pump();
        slot = choose_slot();
    }
    return slot;
}

/// A program that ends takes its keeper's word with it: what is sealed and not yet held elsewhere would never be committed.
void Client::wait_for_commit()
{
    const auto until = Clock::now() + session_.patience().last_commit;
    const std::uint64_t last = std::ranges::max_element(uses_, {}, &SlotUse::epoch)->epoch;
    while (session_.connected() && Clock::now() < until) {
        if (newest_committed() >= last || session_.segment().abandoned_epoch() >= last) return;
        std::this_thread::sleep_for(glance);
        pump();
    }
}

void Client::leave()
{
    if (policy_.should_exit(done_)) wait_for_commit();
    if (done_ > 0) session_.tell({{"op", "progress"}, {"step", done_}});
    session_.leave();
}

void Client::tell_exit(int status)
{
    if (session_.terms().ops.contains("ended")) session_.tell({{"op", "ended"}, {"status", status & 0xff}});
}

/// A program that doesn't ask whether to leave is ended by the signal, as it would have been without us.
void Client::obey_if_passed(std::uint64_t step)
{
    const int signal = caught_notice();
    if (signal == 0 || !policy_.is_past_exit(step)) return;
    wait_for_commit();
    obey_notice(signal);
}

} // namespace mscale::library
