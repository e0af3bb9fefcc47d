#include "recovery/verbs/event.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <rdma/rdma_cma.h>

#include "base/text.hpp"

namespace mscale::recovery {

void close_channel(rdma_event_channel* channel)
{
    rdma_destroy_event_channel(channel);
}

void acknowledge_event(rdma_cm_event* event)
{
    rdma_ack_cm_event(event);
}

void destroy_id(rdma_cm_id* id)
{
    rdma_destroy_id(id);
}

int milliseconds_until(Deadline until)
{
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1 << 30));
}

Result<ChannelHandle> open_channel()
{
    ChannelHandle channel(rdma_create_event_channel());
    if (!channel) return os_failure(Code::verbs, "rdma_create_event_channel", errno);
    const int descriptor = channel.pointer()->fd;
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    return channel;
}

Result<IdHandle> make_id(rdma_event_channel* channel)
{
    IdHandle id;
    if (rdma_create_id(channel, id.out(), nullptr, RDMA_PS_TCP) != 0)
        return os_failure(Code::verbs, "rdma_create_id", errno);
    return id;
}

namespace {

/// Waits until the channel has an event.
Result<void> await_input(int descriptor, Deadline until, int lifeline, bool watch_input)
{
    const short life = static_cast<short>(POLLRDHUP | (watch_input ? POLLIN : 0));
    std::array<pollfd, 2> waited{pollfd{descriptor, POLLIN, 0}, pollfd{lifeline, life, 0}};
    const int ready = poll(waited.data(), waited.size(), milliseconds_until(until));
    if (ready < 0 && errno == EINTR) return await_input(descriptor, until, lifeline, watch_input);
    if (ready == 0) return failure(Code::verbs, "no answer of the other side's adapter in time");
    if (waited[0].revents == 0) return failure(Code::verbs, "the other side goes on without RDMA");
    return {};
}

} // namespace

Result<EventHandle> await_event(rdma_event_channel* channel, int wanted, Deadline until, int lifeline,
                                bool watch_input)
{
    EventHandle event;
    while (rdma_get_cm_event(channel, event.out()) != 0) {
        if (errno != EAGAIN && errno != EINTR) return os_failure(Code::verbs, "rdma_get_cm_event", errno);
        if (auto input = await_input(channel->fd, until, lifeline, watch_input); !input)
            return tl::unexpected(std::move(input.error()));
    }
    if (event.pointer()->event == wanted) return event;
    return failure(Code::verbs,
                   format("{} came where {} was due (status {})", rdma_event_str(event.pointer()->event),
                          rdma_event_str(static_cast<rdma_cm_event_type>(wanted)), event.pointer()->status));
}

} // namespace mscale::recovery
