#include "daemon/mscaled/local_socket.hpp"

#include <sys/socket.h>

#include "base/json.hpp"
#include "daemon/mscaled/connection.hpp"
#include "daemon/mscaled/message.hpp"

namespace mscale::daemon {

namespace {

constexpr unsigned connections = 128, connections_of_user = 16;
constexpr std::size_t line_limit = 4096;
constexpr Connection::Deadlines deadlines{std::chrono::seconds(1), std::chrono::seconds(8)};

bool read_asker(int fd, Asker& asker)
{
    ucred credentials{};
    socklen_t length = sizeof credentials;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return false;
    asker = {credentials.uid, credentials.pid};
    return true;
}

Source identify_user(int fd)
{
    Asker asker{uid_t(-1), 0};
    read_asker(fd, asker);
    return {std::to_string(asker.uid), asker.uid == 0};
}

} // namespace

LocalSocket::LocalSocket(Loop& loop, Fd socket, Handle handle)
    : loop_(loop), handle_(std::move(handle)),
      listener_(loop, std::move(socket),
                Hall(Seats(connections, connections_of_user), Seats(connections, connections)), identify_user,
                [this](Fd accepted, Seat seat) { serve(std::move(accepted), std::move(seat)); })
{
}

void LocalSocket::serve(Fd socket, Seat seat)
{
    Asker asker;
    if (!read_asker(socket.number(), asker)) return;
    const auto held = std::make_shared<std::weak_ptr<Connection>>();
    *held = Connection::start(loop_, std::move(socket), cut_line, line_limit, deadlines,
                              {[this, held, asker](const std::string& line) {
                                   if (const auto connection = held->lock()) answer(connection, asker, line);
                               },
                               [seat = std::move(seat)](const Error*) {}});
}

void LocalSocket::answer(const std::shared_ptr<Connection>& connection, const Asker& asker,
                         const std::string& line)
{
    const auto reply = [connection](const Json& json) { connection->send(write_json(json) + "\n"); };
    const auto request = parse_json(line, "the request");
    if (!request) return reply(error_to_json(request.error()));
    handle_(asker, *request, reply);
}

} // namespace mscale::daemon
