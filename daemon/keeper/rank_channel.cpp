#include "daemon/keeper/rank_channel.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace mscale::daemon {

namespace {

constexpr std::size_t packet_limit = 16 << 10;
constexpr int rank_backlog = 64;

/// A message with room for one descriptor.
struct Message {
    iovec text{};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr header{};

    explicit Message(std::string& bytes) : text{bytes.data(), bytes.size()}
    {
        header.msg_iov = &text;
        header.msg_iovlen = 1;
    }
    void attach(int descriptor)
    {
        header.msg_control = control.data();
        header.msg_controllen = control.size();
        cmsghdr* part = CMSG_FIRSTHDR(&header);
        part->cmsg_level = SOL_SOCKET;
        part->cmsg_type = SCM_RIGHTS;
        part->cmsg_len = CMSG_LEN(sizeof descriptor);
        std::memcpy(CMSG_DATA(part), &descriptor, sizeof descriptor);
    }
};

} // namespace

std::shared_ptr<RankChannel> RankChannel::start(Loop& loop, Fd socket, Handlers handlers)
{
    std::shared_ptr<RankChannel> channel(new RankChannel(loop, std::move(socket), std::move(handlers)));
    // The loop's callback keeps the channel alive until close() takes it out of the loop.
    loop.watch(channel->socket_.number(), POLLIN, [channel](short) { channel->receive(); });
    return channel;
}

RankChannel::RankChannel(Loop& loop, Fd socket, Handlers handlers)
    : loop_(loop), socket_(std::move(socket)), handlers_(std::move(handlers))
{
}

RankChannel::~RankChannel() = default;

void RankChannel::receive()
{
    std::string bytes(packet_limit, '\0');
    const ssize_t size = recv(socket_.number(), bytes.data(), bytes.size(), MSG_TRUNC | MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size <= 0 || static_cast<std::size_t>(size) > packet_limit) return close();
    bytes.resize(static_cast<std::size_t>(size));
    const auto packet = parse_json(bytes, "a packet of a rank");
    if (packet && packet->is_object()) return handlers_.packet(*packet);
    if (!packet) log_error("a program's packet can't be read", packet.error());
    close();
}

void RankChannel::send(const Json& packet, std::optional<int> descriptor)
{
    if (!open_) return;
    std::string bytes = packet.dump(-1, ' ', true, Json::error_handler_t::replace);
    Message message(bytes);
    if (descriptor) message.attach(*descriptor);
    if (sendmsg(socket_.number(), &message.header, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) close();
}

void RankChannel::close()
{
    if (!open_) return;
    open_ = false;
    const auto self = shared_from_this(); // the loop's callback may hold the last reference
    loop_.unwatch(socket_.number());
    socket_ = Fd();
    handlers_.end();
}

Result<Fd> listen_for_ranks(const std::string& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        return failure(Code::config_value, format("the socket's path {} is longer than {} bytes", path,
                                                  sizeof address.sun_path - 1));
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket) return os_failure(Code::node_act, "making a socket for " + path, errno);
    unlink(path.c_str());
    if (bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        chmod(path.c_str(), 0666) != 0 || listen(socket.number(), rank_backlog) != 0)
        return os_failure(Code::node_act, "listening on " + path, errno);
    return socket;
}

} // namespace mscale::daemon
