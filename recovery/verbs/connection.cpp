#include "recovery/verbs/connection.hpp"

#include <algorithm>
#include <cerrno>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>

#include "base/text.hpp"

namespace mscale::recovery {

namespace {

constexpr std::uint8_t always_again =
    7; // of the field for a receiver that isn't ready: our own deadline ends that

rdma_conn_param describe(const VerbsTerms& terms, const SessionKey::Mac& proof)
{
    rdma_conn_param parameters{};
    parameters.private_data = proof.data();
    parameters.private_data_len = static_cast<std::uint8_t>(proof.size());
    parameters.responder_resources = parameters.initiator_depth = 1;
    parameters.retry_count = static_cast<std::uint8_t>(std::min(terms.retry_count, 7U));
    parameters.rnr_retry_count = always_again;
    return parameters;
}

/// What came with an event; rdma_cm may have padded it.
bool is_proven(const EventHandle& event, const Proofs& proofs)
{
    const rdma_conn_param& parameters = event.pointer()->param.conn;
    SessionKey::Mac proof{};
    if (!parameters.private_data || parameters.private_data_len < proof.size()) return false;
    std::copy_n(static_cast<const std::uint8_t*>(parameters.private_data), proof.size(), proof.begin());
    return proofs.holds(proof);
}

Result<void> resolve(const ChannelHandle& channel, rdma_cm_id* id, const sockaddr_storage& from,
                     const sockaddr_storage& to, Deadline until, int lifeline)
{
    sockaddr_storage source = from, target = to;
    if (rdma_resolve_addr(id, reinterpret_cast<sockaddr*>(&source), reinterpret_cast<sockaddr*>(&target),
                          milliseconds_until(until)) != 0)
        return os_failure(Code::verbs, "rdma_resolve_addr", errno);
    auto event = await_event(channel.pointer(), RDMA_CM_EVENT_ADDR_RESOLVED, until, lifeline);
    if (!event) return tl::unexpected(std::move(event.error()));
    if (rdma_resolve_route(id, milliseconds_until(until)) != 0)
        return os_failure(Code::verbs, "rdma_resolve_route", errno);
    event = await_event(channel.pointer(), RDMA_CM_EVENT_ROUTE_RESOLVED, until, lifeline);
    if (!event) return tl::unexpected(std::move(event.error()));
    return {};
}

} // namespace

Connection::Connection(ChannelHandle channel, IdHandle id, Queue queue)
    : channel_(std::move(channel)), id_(std::move(id)), queue_(std::move(queue))
{
}

Result<Connection> Connection::dial(const sockaddr_storage& from, const sockaddr_storage& to,
                                    const VerbsTerms& terms, const Proofs& proofs, Deadline until,
                                    int lifeline)
{
    auto channel = open_channel();
    if (!channel) return tl::unexpected(std::move(channel.error()));
    auto id = make_id(channel->pointer());
    if (!id) return tl::unexpected(std::move(id.error()));
    if (auto resolved = resolve(*channel, id->pointer(), from, to, until, lifeline); !resolved)
        return tl::unexpected(std::move(resolved.error()));
    auto queue = Queue::make(id->pointer(), terms.window);
    if (!queue) return tl::unexpected(std::move(queue.error()));
    rdma_conn_param parameters = describe(terms, proofs.own);
    if (rdma_connect(id->pointer(), &parameters) != 0) return os_failure(Code::verbs, "rdma_connect", errno);
    const auto event = await_event(channel->pointer(), RDMA_CM_EVENT_ESTABLISHED, until, lifeline);
    if (!event) return tl::unexpected(event.error());
    if (!is_proven(*event, proofs))
        return failure(Code::bad_frame, "who answered by RDMA isn't the other keeper");
    return Connection(std::move(*channel), std::move(*id), std::move(*queue));
}

void Connection::break_off()
{
    rdma_disconnect(id_.pointer());
}

unsigned Connection::retry_count() const
{
    ibv_qp_attr found{};
    ibv_qp_init_attr made{};
    return ibv_query_qp(id_.pointer()->qp, &found, IBV_QP_RETRY_CNT, &made) == 0 ? found.retry_cnt : 0;
}

Listener::Listener(ChannelHandle channel, IdHandle id) : channel_(std::move(channel)), id_(std::move(id)) {}

Result<Listener> Listener::open(sa_family_t family)
{
    auto channel = open_channel();
    if (!channel) return tl::unexpected(std::move(channel.error()));
    auto id = make_id(channel->pointer());
    if (!id) return tl::unexpected(std::move(id.error()));
    sockaddr_storage any{}; // IPv6's takes those of IPv4 too
    any.ss_family = family;
    if (rdma_bind_addr(id->pointer(), reinterpret_cast<sockaddr*>(&any)) != 0)
        return os_failure(Code::verbs, "rdma_bind_addr", errno);
    if (rdma_listen(id->pointer(), 1) != 0) return os_failure(Code::verbs, "rdma_listen", errno);
    return Listener(std::move(*channel), std::move(*id));
}

std::uint16_t Listener::port() const
{
    return ntohs(rdma_get_src_port(id_.pointer()));
}

Result<IdHandle> Listener::await_proven(const Proofs& proofs, Deadline until, int lifeline)
{
    for (;;) {
        IdHandle id; // ends after the event, as rdma_cm waits for that
        auto event = await_event(channel_.pointer(), RDMA_CM_EVENT_CONNECT_REQUEST, until, lifeline, true);
        if (!event) return tl::unexpected(std::move(event.error()));
        *id.out() = event->pointer()->id;
        if (is_proven(*event, proofs)) return id;
        rdma_reject(id.pointer(), nullptr, 0);
    }
}

Result<Connection> Listener::accept(const VerbsTerms& terms, const Proofs& proofs, Deadline until,
                                    int lifeline) &&
{
    auto id = await_proven(proofs, until, lifeline);
    if (!id) return tl::unexpected(std::move(id.error()));
    id_ = IdHandle(); // nobody else may come
    auto queue = Queue::make(id->pointer(), terms.window);
    if (!queue) return tl::unexpected(std::move(queue.error()));
    rdma_conn_param parameters = describe(terms, proofs.own);
    if (rdma_accept(id->pointer(), &parameters) != 0) return os_failure(Code::verbs, "rdma_accept", errno);
    // Its first frame may overtake the end of the set-up: from here on, what it says over TCP ends no wait.
    const auto event = await_event(channel_.pointer(), RDMA_CM_EVENT_ESTABLISHED, until, lifeline);
    if (!event) return tl::unexpected(event.error());
    return Connection(std::move(channel_), std::move(*id), std::move(*queue));
}

} // namespace mscale::recovery
