#pragma once

#include <chrono>

#include "base/error.hpp"
#include "base/handle.hpp"

struct rdma_cm_event;
struct rdma_cm_id;
struct rdma_event_channel;

namespace mscale::recovery {

using Deadline = std::chrono::steady_clock::time_point;

void close_channel(rdma_event_channel* channel);
void acknowledge_event(rdma_cm_event* event);
void destroy_id(rdma_cm_id* id);

using ChannelHandle = Handle<rdma_event_channel*, close_channel>;
using EventHandle = Handle<rdma_cm_event*, acknowledge_event>;
using IdHandle = Handle<rdma_cm_id*, destroy_id>;

/// A channel whose events are waited for with a deadline.
Result<ChannelHandle> open_channel();

/// An id of `channel` for reliable connections.
Result<IdHandle> make_id(rdma_event_channel* channel);

/// The next event, which must be `wanted` (rdma_cm_event_type); Code::verbs when another one comes, or none until `until`.
/// `lifeline` is the TCP socket: when the other side closes it, or, with `watch_input`, says anything, the wait ends too.
Result<EventHandle> await_event(rdma_event_channel* channel, int wanted, Deadline until, int lifeline,
                                bool watch_input = false);

/// What is left until then, for poll; 0 when it has passed.
int milliseconds_until(Deadline until);

} // namespace mscale::recovery
