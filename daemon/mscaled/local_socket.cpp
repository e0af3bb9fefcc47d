#include "daemon/mscaled/local_socket.hpp"

#include <sys/socket.h>

#include "base/json.hpp"
#include "daemon/mscaled/connection.hpp"
#include "daemon/mscaled/message.hpp"

namespace mscale::daemon {

namespace {

constexpr unsigned connections = 64;
constexpr std::size_t line_limit = 4096;
constexpr std::chrono::seconds deadline{8};

bool read_asker(int fd, Asker& asker)
{
    ucred credentials{};
    socklen_t length = sizeof credentials;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return false;
    asker = {credentials.uid, credentials.pid};
    return true;
}

} // namespace

LocalSocket::LocalSocket(Loop& loop, Fd socket, Handle handle)
    : loop_(loop), handle_(std::move(handle)),
      listener_(loop, std::move(socket), connections, [this](Fd accepted) { serve(std::move(accepted)); })
{
}

void LocalSocket::serve(Fd socket)
{
    Asker asker;
    if (!read_asker(socket.number(), asker)) return listener_.release();
    const auto held = std::make_shared<std::weak_ptr<Connection>>();
    *held = Connection::start(loop_, std::move(socket), cut_line, line_limit, deadline,
                              {[this, held, asker](const std::string& line) {
                                   if (const auto connection = held->lock()) answer(connection, asker, line);
                               },
                               [this](const Error*) { listener_.release(); }});
}

void LocalSocket::answer(const std::shared_ptr<Connection>& connection, const Asker& asker,
                         const std::string& line)
{
    const auto reply = [connection](const Json& json) { connection->send(json.dump() + "\n"); };
    const auto request = parse_json(line, "the request");
    if (!request) return reply(error_to_json(request.error()));
    handle_(asker, *request, reply);
}

} // namespace mscale::daemon
