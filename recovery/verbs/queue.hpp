#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/error.hpp"
#include "base/handle.hpp"
#include "recovery/verbs/region.hpp"

struct ibv_comp_channel;
struct ibv_cq;
struct rdma_cm_id;

namespace mscale::recovery {

void free_domain(ibv_pd* domain);
void close_completions(ibv_comp_channel* channel);
void destroy_completion_queue(ibv_cq* queue);
void destroy_queue_pair(rdma_cm_id* id);

/// The queue pair of one connection, with a protection domain of its own: what is opened to this connection's other side is
/// opened to nobody else.
class Queue {
public:
    /// For the connection of `id`, which outlives it; so many writes of each side may be in flight.
    static Result<Queue> make(rdma_cm_id* id, unsigned window);

    ibv_pd* domain() const { return domain_.pointer(); }
    /// As many as the adapter allows, at most those asked for.
    unsigned window() const { return window_; }

    /// Writes a chunk to the other side, which is told its index when it lies there.
    Result<void> post_write(std::span<const std::byte> chunk, std::uint32_t local_key, std::uint64_t address,
                            std::uint32_t key, std::uint32_t index);
    /// Makes room for one more chunk of the other side to be told of.
    Result<void> post_receive();

    /// What was done: an own write, or one of the other side with its index and length.
    struct Done {
        bool is_receive = false;
        std::uint32_t index = 0;
        std::uint32_t bytes = 0;
    };
    /// The next that is done.  peer when it failed, when nothing is done for `stall_limit`, or when `lifeline` was closed.
    Result<Done> await(std::chrono::milliseconds stall_limit, int lifeline);

private:
    Queue() = default;
    Result<void> make_pair(rdma_cm_id* id);
    Result<std::optional<Done>> poll_once();

    // In the order in which each needs those before it.
    Handle<ibv_pd*, free_domain> domain_;
    Handle<ibv_comp_channel*, close_completions> channel_;
    Handle<ibv_cq*, destroy_completion_queue> completions_;
    Handle<rdma_cm_id*, destroy_queue_pair> pair_;
    unsigned window_ = 0;
};

} // namespace mscale::recovery
