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
        return os_failure(Code::peer, format("mscaled doesn't answer on {}", path), errno,
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

Error error_of(const Json& answer)
{
    const Json error = answer.value("error", Json::object());
    const auto text = [&](const char* key) { return error.value(key, std::string()); };
    const auto known = find_code(text("code"));
    return {known ? known->code : Code::peer, text("text"), text("cure")};
}

Result<std::optional<Json>> read_answer(const std::string& line)
{
    auto answer = parse_json(line, "mscaled's answer");
    if (!answer) return tl::unexpected(std::move(answer.error()));
    if (!answer->is_object() || !answer->value("ok", false)) return tl::unexpected(error_of(*answer));
    return std::optional<Json>(std::move(*answer));
}

} // namespace

Result<OpenRequest> OpenRequest::send(const contract::Site& site, const Json& request)
{
    auto socket = connect_daemon(site.state + "/mscaled.sock");
    if (!socket) return tl::unexpected(std::move(socket.error()));
    if (auto sent = send_line(*socket, request.dump() + "\n"); !sent)
        return tl::unexpected(std::move(sent.error()));
    return OpenRequest(std::move(*socket));
}

Result<std::optional<Json>> OpenRequest::receive()
{
    char bytes[65536];
    const ssize_t received = ::recv(socket_.number(), bytes, sizeof bytes, 0);
    if (received < 0 && errno == EINTR) return std::nullopt;
    if (received < 0) return os_failure(Code::peer, "mscaled's answer", errno);
    line_.append(bytes, static_cast<std::size_t>(received));
    const bool is_whole = received == 0 || line_.ends_with('\n') || line_.size() >= answer_limit;
    if (!is_whole) return std::nullopt;
    return read_answer(line_);
}

Result<Json> ask_daemon(const contract::Site& site, const Json& request)
{
    auto open = OpenRequest::send(site, request);
    if (!open) return tl::unexpected(std::move(open.error()));
    while (true) {
        pollfd ready = {open->descriptor(), POLLIN, 0};
        const int count = ::poll(&ready, 1, answer_deadline_ms);
        if (count < 0 && errno == EINTR) continue;
        if (count == 0) return failure(Code::deadline, "mscaled gave no answer within 10 s");
        auto answer = open->receive();
        if (!answer) return tl::unexpected(std::move(answer.error()));
        if (*answer) return std::move(**answer);
    }
}

} // namespace mscale::cli
