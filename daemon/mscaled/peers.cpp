#include "daemon/mscaled/peers.hpp"

#include <cerrno>

#include <sys/socket.h>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "daemon/mscaled/connection.hpp"

namespace mscale::daemon {

namespace {

constexpr unsigned connections = 64;
constexpr std::chrono::seconds serve_deadline{8};
constexpr std::chrono::seconds call_deadline{5};

Result<Fd> connect_to(const NodeAddress& address)
{
    if (address.length == 0) return failure(Code::peer, "the node has no address");
    Fd socket(::socket(address.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket) return os_failure(Code::peer, "making a socket", errno);
    const auto* target = reinterpret_cast<const sockaddr*>(&address.address);
    if (connect(socket.number(), target, address.length) != 0 && errno != EINPROGRESS) {
        return os_failure(Code::peer, "connecting to the node", errno);
    }
    return socket;
}

} // namespace

Peers::Peers(Loop& loop, Worker& munge, Sealer sealer, Fd socket, Handle handle)
    : loop_(loop), munge_(munge), sealer_(std::move(sealer)), handle_(std::move(handle)),
      listener_(loop, std::move(socket), connections, [this](Fd accepted) { serve(std::move(accepted)); })
{
}

void Peers::serve(Fd socket)
{
    // The handler needs the connection that it belongs to, which exists only after it is made.
    const auto held = std::make_shared<std::weak_ptr<Connection>>();
    *held = Connection::start(loop_, std::move(socket), cut_frame, message_limit, serve_deadline,
                              {[this, held](std::string credential) {
                                   if (const auto connection = held->lock())
                                       open(connection, std::move(credential));
                               },
                               [this](const Error*) { listener_.release(); }});
}

void Peers::open(const std::shared_ptr<Connection>& connection, std::string credential)
{
    munge_.run<Result<Request>>(
        [sealer = sealer_, self = self_, credential = std::move(credential)]() -> Result<Request> {
            const auto proven = sealer.open(credential);
            if (!proven) return tl::unexpected(proven.error());
            return open_request(proven->payload, proven->uid, self);
        },
        [this, connection](const Result<Request>& request) {
            if (request) return answer(connection, *request);
            log_error("a message of another node was refused", request.error());
            connection->close();
        });
}

void Peers::answer(const std::shared_ptr<Connection>& connection, const Request& request)
{
    handle_(request, [this, connection, nonce = request.nonce, reader = request.uid](const Json& body) {
        munge_.run<Result<std::string>>(
            [sealer = sealer_, text = to_answer(nonce, body), reader] { return sealer.seal(text, reader); },
            [connection](const Result<std::string>& credential) {
                if (credential) return connection->send(to_frame(*credential));
                log_error("an answer to another node", credential.error());
                connection->close();
            });
    });
}

void Peers::call(const std::string& node, const NodeAddress& address, const std::string& op, Json body,
                 Answered answered)
{
    const Request request{node, make_nonce(), op, std::move(body), 0};
    munge_.run<Result<std::string>>(
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
        Connection::start(loop_, std::move(*socket), cut_frame, message_limit, call_deadline,
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
    munge_.run<Result<Json>>(
        [sealer = sealer_, nonce, credential = std::move(credential)]() -> Result<Json> {
            const auto proven = sealer.open(credential);
            if (!proven) return tl::unexpected(proven.error());
            return open_answer(proven->payload, proven->uid, nonce);
        },
        std::move(answered));
}

} // namespace mscale::daemon
