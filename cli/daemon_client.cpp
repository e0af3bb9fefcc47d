#include "cli/daemon_client.hpp"

#include <cerrno>
#include <cstring>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/handle.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

namespace mscale::cli {
namespace {

constexpr int answer_deadline_ms = 10000; // a job's status may have to come from other nodes
constexpr std::size_t answer_limit = 16U << 20;

Result<Fd> connect_daemon(const std::string& path)
{
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        return failure(Code::config_value, format("{}: the path of a socket has at most 107 bytes", path));
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket) return os_failure(Code::node_act, "socket", errno);
    if (::connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return failure(Code::peer, format("mscaled doesn't answer on {}: {}", path, std::strerror(errno)),
                       "start mscaled on this node (systemctl start mscaled); mscale doctor tells more");
    return socket;
}

Result<void> send_line(const Fd& socket, const std::string& line)
{
    for (std::size_t sent = 0; sent < line.size();) {
        const ssize_t written = ::send(socket.number(), line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return os_failure(Code::peer, "mscaled hung up", errno);
        sent += static_cast<std::size_t>(written);
    }
    return {};
}

Result<std::string> receive_line(const Fd& socket)
{
    std::string line;
    while (line.find('\n') == std::string::npos && line.size() < answer_limit) {
        pollfd ready = {socket.number(), POLLIN, 0};
        const int count = ::poll(&ready, 1, answer_deadline_ms);
        if (count < 0 && errno == EINTR) continue;
        if (count == 0) return failure(Code::deadline, "mscaled gave no answer within 10 s");
        char bytes[65536];
        const ssize_t received = ::recv(socket.number(), bytes, sizeof bytes, 0);
        if (received < 0 && errno == EINTR) continue;
        if (received < 0) return os_failure(Code::peer, "mscaled's answer", errno);
        if (received == 0) break;
        line.append(bytes, static_cast<std::size_t>(received));
    }
    return line;
}

Error error_of(const Json& answer)
{
    const Json error = answer.value("error", Json::object());
    const auto text = [&](const char* key) { return error.value(key, std::string()); };
    const auto known = find_code(text("code"));
    return {known ? known->code : Code::peer, text("text"), text("cure")};
}

} // namespace

Result<Json> ask_daemon(const contract::Site& site, const Json& request)
{
    const auto socket = connect_daemon(site.state + "/mscaled.sock");
    if (!socket) return tl::unexpected(socket.error());
    if (const auto sent = send_line(*socket, request.dump() + "\n"); !sent)
        return tl::unexpected(sent.error());
    const auto line = receive_line(*socket);
    if (!line) return tl::unexpected(line.error());
    const auto answer = parse_json(*line, "mscaled's answer");
    if (!answer) return answer;
    if (!answer->is_object() || !answer->value("ok", false)) return tl::unexpected(error_of(*answer));
    return answer;
}

} // namespace mscale::cli
