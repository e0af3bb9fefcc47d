// A double of the keeper: keeper --socket PATH [--data-bytes N] [--ranks N] [--every N] [--every-ms N] [--ops a,b].
// Prints one JSON object a line: what programs said and what it did.  Reads one command a line and confirms each:
// those of Keeper::obey, "drop" (as if killed: its memory stays, as with the holder), "listen", "ending", "at STEP",
// "exit STEP", "save STEP", "quit".
#include <cstdio>
#include <cstring>
#include <iostream>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/text.hpp"
#include "tests/doubles/keeper/keeper.hpp"

using namespace mscale;
using namespace mscale::doubles;

namespace {

struct Connection {
    Fd socket;
    std::optional<std::uint32_t> rank;
    std::optional<std::uint64_t> step = {}; // that it told last
};

void print(const Json& event)
{
    std::printf("%s\n", event.dump().c_str());
    std::fflush(stdout);
}

Fd listen_at(const std::string& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    ::unlink(path.c_str());
    Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    if (::bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(socket.number(), 64) != 0)
        std::abort();
    return socket;
}

void send_packet(int socket, const Json& message, int descriptor)
{
    std::string text = message.dump();
    iovec part{text.data(), text.size()};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    if (descriptor >= 0) {
        header.msg_control = control;
        header.msg_controllen = sizeof control;
        cmsghdr* rights = CMSG_FIRSTHDR(&header);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof(int));
        std::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
    }
    ::sendmsg(socket, &header, MSG_NOSIGNAL);
}

class Double {
public:
    explicit Double(Options options) : options_(options), keeper_(options)
    {
        listener_ = listen_at(options_.socket);
        print({{"double", "keeper"}, {"note", "a double of mscaled's keeper for tests: keeps nothing safe"}});
    }

    int run()
    {
        while (!ended_) {
            std::vector<pollfd> waiting = {{STDIN_FILENO, POLLIN, 0}, {listener_.number(), POLLIN, 0}};
            for (const Connection& peer : peers_) waiting.push_back({peer.socket.number(), POLLIN, 0});
            if (::poll(waiting.data(), waiting.size(), -1) < 0) continue;
            for (std::size_t i = waiting.size(); i-- > 2;)
                if (waiting[i].revents) serve(i - 2);
            if (waiting[1].revents)
                peers_.push_back({Fd(::accept(listener_.number(), nullptr, nullptr)), {}});
            if (waiting[0].revents) read_commands();
        }
        return 0;
    }

private:
    void serve(std::size_t index)
    {
        char text[16384];
        const ssize_t size = ::recv(peers_[index].socket.number(), text, sizeof text, MSG_DONTWAIT);
        if (size <= 0) {
            print({{"gone", peers_[index].rank ? Json(*peers_[index].rank) : Json(nullptr)}});
            peers_.erase(peers_.begin() + static_cast<std::ptrdiff_t>(index));
            return;
        }
        const Json message = parse_json({text, static_cast<std::size_t>(size)}, "packet").value();
        if (message.value("op", "") == "join") peers_[index].rank = message.at("rank").get<std::uint32_t>();
        if (message.value("op", "") == "join") print({{"joined", message}});
        if (message.value("op", "") == "progress") take_step(peers_[index], message.at("step").get<std::uint64_t>());
        for (const Reply& reply : keeper_.take(peers_[index].rank.value_or(0), message)) send(reply);
    }

    void take_step(Connection& peer, std::uint64_t step)
    {
        if (peer.step == step) print({{"again", step}});
        peer.step = step;
    }

    void send(const Reply& reply)
    {
        for (auto peer = peers_.rbegin(); peer != peers_.rend(); ++peer)
            if (peer->rank == reply.rank)
                return send_packet(peer->socket.number(), reply.message, reply.descriptor);
    }

    void push(const Json& event)
    {
        for (const Connection& peer : peers_) send_packet(peer.socket.number(), event, -1);
    }

    void read_commands()
    {
        char text[4096];
        const ssize_t size = ::read(STDIN_FILENO, text, sizeof text);
        ended_ = size <= 0;
        if (!ended_) commands_.append(text, static_cast<std::size_t>(size));
        for (std::size_t end; (end = commands_.find('\n')) != std::string::npos;) {
            obey(commands_.substr(0, end));
            commands_.erase(0, end + 1);
        }
    }

    void obey(const std::string& line)
    {
        std::vector<std::string> words;
        for (const std::string_view word : split(line, ' ')) words.emplace_back(word);
        if (words[0] == "drop") {
            peers_.clear();
            listener_ = Fd();
            ::unlink(options_.socket.c_str());
        }
        if (words[0] == "listen") listener_ = listen_at(options_.socket);
        if (words[0] == "ending") push({{"event", "ending"}});
        if (words[0] == "exit" || words[0] == "save" || words[0] == "at")
            push({{"event", words[0]}, {"step", parse_number(words.at(1)).value()}});
        ended_ = ended_ || words[0] == "quit";
        keeper_.obey(words);
        print({{"done", line}});
    }

    Options options_;
    Keeper keeper_;
    Fd listener_;
    std::vector<Connection> peers_;
    std::string commands_;
    bool ended_ = false;
};

Options read_options(int count, char** words)
{
    Options options;
    for (int i = 1; i + 1 < count; i += 2) {
        const std::string name = words[i], value = words[i + 1];
        if (name == "--socket") options.socket = value;
        if (name == "--data-bytes") options.data_bytes = parse_number(value).value();
        if (name == "--ranks") options.ranks = static_cast<std::uint32_t>(parse_number(value).value());
        if (name == "--every") options.every_steps = parse_number(value).value();
        if (name == "--every-ms") options.every_ms = parse_number(value).value();
        if (name == "--ops")
            for (const std::string_view op : split(value, ',')) options.ops.emplace_back(op);
    }
    return options;
}

} // namespace

int main(int count, char** words)
{
    return Double(read_options(count, words)).run();
}
