#include "daemon/mscaled/peers.hpp"

#include <cerrno>

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/reserved_port.hpp"
#include "base/text.hpp"
#include "daemon/mscaled/connection.hpp"

namespace mscale::daemon {

namespace {

constexpr std::chrono::seconds call_deadline{5};
constexpr Connection::Deadlines serve_deadlines{std::chrono::milliseconds(1500), std::chrono::seconds(8)};

/// Each waiting credential may be a MiB.
Hall make_hall()
{
    return Hall(Seats(32, 8), Seats(192, 64));
}

Result<Fd> connect_to(const NodeAddress& address)
{
    Fd socket(::socket(address.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket) return os_failure(Code::peer, "making a socket", errno);
    take_reserved_port(socket.number(), address.address.ss_family);
    const auto* target = reinterpret_cast<const sockaddr*>(&address.address);
    if (connect(socket.number(), target, address.length) != 0 && errno != EINPROGRESS) {
        return os_failure(Code::peer, "connecting to the node", errno);
    }
    return socket;
}

} // namespace

Peers::Peers(Loop& loop, Workers munge, Sealer sealer, Fd socket, Locate locate, Handle handle)
    : loop_(loop), munge_(munge), sealer_(std::move(sealer)), locate_(std::move(locate)),
      handle_(std::move(handle)),
      listener_(loop, std::move(socket), make_hall(), identify_peer,
                [this](Fd accepted, const Seat& seat) { serve(std::move(accepted), seat); })
{
}

void Peers::serve(Fd socket, const Seat& seat)
{
    // The handler needs the connection that it belongs to, which exists only after it is made.
    const auto held = std::make_shared<std::weak_ptr<Connection>>();
    *held = Connection::start(loop_, std::move(socket), cut_frame, message_limit, serve_deadlines,
                              {[this, held, seat](std::string credential) {
                                   if (const auto connection = held->lock())
                                       open(connection, seat, std::move(credential));
                               },
                               [seat](const Error*) {}});
}

void Peers::open(const std::shared_ptr<Connection>& connection, const Seat& seat, std::string credential)
{
    munge_.strangers.run<Result<Request>>(
        [sealer = sealer_, self = self_, credential = std::move(credential)]() -> Result<Request> {
            const auto proven = sealer.open(credential);
            if (!proven) return tl::unexpected(proven.error());
            return open_request(proven->payload, proven->uid, self);
        },
        // The credential waits in the queue even when its connection has ended, and so does the seat.
        [this, connection, seat](const Result<Request>& request) {
            if (request) return answer(connection, *request);
            log_refusal(request.error());
            connection->close();
        });
}

void Peers::log_refusal(const Error& error)
{
    const auto held_back = refusals_.admit(std::chrono::steady_clock::now());
    if (held_back) log_error(format("a message was refused ({} more before it)", *held_back), error);
}

void Peers::answer(const std::shared_ptr<Connection>& connection, const Request& request)
{
    handle_(request, [this, connection, nonce = request.nonce, reader = request.uid](const Json& body) {
        munge_.own.run<Result<std::string>>(
            [sealer = sealer_, text = to_answer(nonce, body), reader] { return sealer.seal(text, reader); },
            [connection](const Result<std::string>& credential) {
                if (credential) return connection->send(to_frame(*credential));
                log_error("an answer to another node", credential.error());
                connection->close();
            });
    });
}

void Peers::call(const std::string& node, const std::string& op, Json body, Answered answered)
{
    const Request request{node, make_nonce(), op, std::move(body), 0};
    locate_(node, [this, request, answered = std::move(answered)](const Result<NodeAddress>& address) {
        if (!address) return answered(tl::unexpected(address.error()));
        seal(*address, request, answered);
    });
}

void Peers::seal(const NodeAddress& address, const Request& request, const Answered& answered)
{
    munge_.own.run<Result<std::string>>(
        [sealer = sealer_, text = to_payload(request)] { return sealer.seal(text, uid_t{0}); },
        [this, address, nonce = request.nonce, answered](Result<std::string> credential) {
            converse(address, nonce, std::move(credential), answered);
        });
}

void Peers::converse(const NodeAddress& address, const std::string& nonce, Result<std::string> credential,
                     Answered answered)
{
    auto socket = credential ? connect_to(address) : tl::unexpected(credential.error());
    if (!socket) return answered(tl::unexpected(socket.error()));
    const auto done = std::make_shared<bool>(false);
    const auto connection =
        Connection::start(loop_, std::move(*socket), cut_frame, message_limit, {call_deadline, call_deadline},
                          {[this, nonce, answered, done](std::string text) {
                               *done = true;
                               open_answer_of(nonce, std::move(text), answered);
                           },
                           [answered, done](const Error* why) {
                               if (*done) return;
                               answered(tl::unexpected(
                                   why ? *why : Error{Code::peer, "the node closed without an answer", {}}));
                           }});
    connection->send(to_frame(*credential));
}

void Peers::open_answer_of(const std::string& nonce, std::string credential, Answered answered)
{
    munge_.own.run<Result<Json>>(
        [sealer = sealer_, nonce, credential = std::move(credential)]() -> Result<Json> {
            const auto proven = sealer.open(credential);
            if (!proven) return tl::unexpected(proven.error());
            return open_answer(proven->payload, proven->uid, nonce);
        },
        std::move(answered));
}

} // namespace mscale::daemon
