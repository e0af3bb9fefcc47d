#include "recovery/verbs/queue.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <rdma/rdma_cma.h>

#include "base/text.hpp"
#include "recovery/verbs/event.hpp"

namespace mscale::recovery {

void free_domain(ibv_pd* domain)
{
    ibv_dealloc_pd(domain);
}

void close_completions(ibv_comp_channel* channel)
{
    ibv_destroy_comp_channel(channel);
}

void destroy_completion_queue(ibv_cq* queue)
{
    ibv_destroy_cq(queue);
}

void destroy_queue_pair(rdma_cm_id* id)
{
    rdma_destroy_qp(id);
}

namespace {

/// Writes in flight that the adapter allows, of those that are wanted: each side's own and the other's share the queues.
unsigned limit_window(ibv_context* adapter, unsigned wanted)
{
    ibv_device_attr found{};
    if (ibv_query_device(adapter, &found) != 0) return 1;
    const int most = std::min(found.max_qp_wr, found.max_cqe / 2);
    return std::clamp(wanted, 1U, static_cast<unsigned>(std::max(most, 1)));
}

} // namespace

Result<Queue> Queue::make(rdma_cm_id* id, unsigned window)
{
    Queue queue;
    queue.window_ = limit_window(id->verbs, window);
    *queue.domain_.out() = ibv_alloc_pd(id->verbs);
    if (!queue.domain_) return os_failure(Code::verbs, "ibv_alloc_pd", errno);
    *queue.channel_.out() = ibv_create_comp_channel(id->verbs);
    if (!queue.channel_) return os_failure(Code::verbs, "ibv_create_comp_channel", errno);
    const int descriptor = queue.channel_.pointer()->fd;
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    *queue.completions_.out() =
        ibv_create_cq(id->verbs, static_cast<int>(2 * queue.window_), nullptr, queue.channel_.pointer(), 0);
    if (!queue.completions_) return os_failure(Code::verbs, "ibv_create_cq", errno);
    if (auto made = queue.make_pair(id); !made) return tl::unexpected(std::move(made.error()));
    return queue;
}

Result<void> Queue::make_pair(rdma_cm_id* id)
{
    ibv_qp_init_attr wanted{};
    wanted.qp_type = IBV_QPT_RC;
    wanted.send_cq = wanted.recv_cq = completions_.pointer();
    wanted.cap.max_send_wr = wanted.cap.max_recv_wr = window_;
    wanted.cap.max_send_sge = wanted.cap.max_recv_sge = 1;
    wanted.sq_sig_all = 1;
    if (rdma_create_qp(id, domain_.pointer(), &wanted) != 0)
        return os_failure(Code::verbs, "rdma_create_qp", errno);
    *pair_.out() = id;
    return {};
}

Result<void> Queue::post_write(std::span<const std::byte> chunk, std::uint32_t local_key,
                               std::uint64_t address, std::uint32_t key, std::uint32_t index)
{
    ibv_sge piece{reinterpret_cast<std::uintptr_t>(chunk.data()), static_cast<std::uint32_t>(chunk.size()),
                  local_key};
    ibv_send_wr request{};
    request.wr_id = index;
    request.sg_list = &piece;
    request.num_sge = 1;
    request.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
    request.imm_data = htonl(index);
    request.wr.rdma.remote_addr = address;
    request.wr.rdma.rkey = key;
    ibv_send_wr* refused = nullptr;
    const int error = ibv_post_send(pair_.pointer()->qp, &request, &refused);
    if (error != 0) return os_failure(Code::peer, "ibv_post_send", error);
    return {};
}

Result<void> Queue::post_receive()
{
    ibv_recv_wr request{};
    ibv_recv_wr* refused = nullptr;
    const int error = ibv_post_recv(pair_.pointer()->qp, &request, &refused);
    if (error != 0) return os_failure(Code::peer, "ibv_post_recv", error);
    return {};
}

Result<std::optional<Queue::Done>> Queue::poll_once()
{
    ibv_wc done{};
    const int count = ibv_poll_cq(completions_.pointer(), 1, &done);
    if (count < 0) return failure(Code::peer, "the adapter's completions can't be read");
    if (count == 0) return std::optional<Done>();
    if (done.status != IBV_WC_SUCCESS)
        return failure(Code::peer, format("RDMA with the other keeper: {}", ibv_wc_status_str(done.status)));
    if (done.opcode == IBV_WC_RECV_RDMA_WITH_IMM)
        return std::optional(Done{true, ntohl(done.imm_data), done.byte_len});
    return std::optional(Done{false, static_cast<std::uint32_t>(done.wr_id), 0});
}

namespace {

/// Takes what woke this side; the completions themselves are polled.
void take_wakings(ibv_comp_channel* channel)
{
    ibv_cq* queue = nullptr;
    void* context = nullptr;
    while (ibv_get_cq_event(channel, &queue, &context) == 0) ibv_ack_cq_events(queue, 1);
}

Result<void> await_waking(ibv_comp_channel* channel, Deadline until, int lifeline)
{
    std::array<pollfd, 2> waited{pollfd{channel->fd, POLLIN, 0}, pollfd{lifeline, POLLRDHUP, 0}};
    const int ready = poll(waited.data(), waited.size(), milliseconds_until(until));
    if (ready < 0 && errno != EINTR) return os_failure(Code::peer, "waiting for RDMA", errno);
    if (ready == 0) return os_failure(Code::peer, "RDMA with the other keeper", ETIMEDOUT);
    if (ready > 0 && waited[0].revents == 0)
        return failure(Code::peer, "the other keeper closed the connection");
    take_wakings(channel);
    return {};
}

} // namespace

Result<Queue::Done> Queue::await(std::chrono::milliseconds stall_limit, int lifeline)
{
    const Deadline until = std::chrono::steady_clock::now() + stall_limit;
    for (;;) {
        // Asked for a waking first, polled afterwards: what is done in between isn't missed.
        if (const int error = ibv_req_notify_cq(completions_.pointer(), 0); error != 0)
            return os_failure(Code::peer, "ibv_req_notify_cq", error);
        auto done = poll_once();
        if (!done) return tl::unexpected(std::move(done.error()));
        if (*done) return **done;
        if (auto waking = await_waking(channel_.pointer(), until, lifeline); !waking)
            return tl::unexpected(std::move(waking.error()));
    }
}

} // namespace mscale::recovery
