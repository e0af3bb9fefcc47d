// mscale-holder: keeps the descriptors of the snapshots' memory for an mscaled that was killed, until the next one takes them
// over.  It maps nothing, reads no file and understands one record (record.hpp): what never changes and does little seldom dies.
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/handle.hpp"
#include "daemon/holder/packet.hpp"

namespace {

using mscale::Fd;
using mscale::daemon::HolderRecord;
using mscale::daemon::HolderWord;
using mscale::daemon::receive_record;
using mscale::daemon::send_record;

constexpr std::size_t most_held = 4096;
constexpr timeval patience{5, 0}; // for an mscaled that doesn't read its answers

struct Held {
    HolderRecord record;
    Fd descriptor; // empty for a commit record
};

std::vector<Held> all_held;

/// The socket's file, to tell it from that of a holder that was started since.
struct SocketFile {
    const char* path = nullptr;
    struct stat made = {};
};
SocketFile own_file;

/// From now on another holder is started: before mscaled hears that this one ends, or it would connect to it once more.
void leave_path()
{
    struct stat now = {};
    if (stat(own_file.path, &now) == 0 && now.st_ino == own_file.made.st_ino && now.st_dev == own_file.made.st_dev)
        unlink(own_file.path);
}

bool is_same(const HolderRecord& a, const HolderRecord& b)
{
    if (a.word != b.word || a.job_id != b.job_id) return false;
    return a.word == HolderWord::commit || (a.rank == b.rank && a.ranks == b.ranks && a.kind == b.kind);
}

bool hold(const HolderRecord& record, Fd&& descriptor)
{
    for (Held& held : all_held)
        if (is_same(held.record, record)) {
            held = {record, std::move(descriptor)};
            return true;
        }
    if (all_held.size() == most_held) return false;
    all_held.push_back({record, std::move(descriptor)});
    return true;
}

void forget(std::uint32_t job_id)
{
    std::erase_if(all_held, [job_id](const Held& held) { return held.record.job_id == job_id; });
}

void release(HolderRecord record)
{
    record.word = HolderWord::hold;
    std::erase_if(all_held, [&record](const Held& held) { return is_same(held.record, record); });
}

bool list(const Fd& socket)
{
    for (const Held& held : all_held)
        if (!send_record(socket, held.record, held.descriptor.number())) return false;
    return true;
}

/// Does what the record says and answers; false when the connection is of no more use.
bool serve(const Fd& socket, const HolderRecord& record, Fd&& descriptor)
{
    bool done = record.version == HolderRecord::current_version;
    switch (record.word) {
    case HolderWord::hold: done = done && descriptor && hold(record, std::move(descriptor)); break;
    case HolderWord::commit: done = done && hold(record, Fd()); break;
    case HolderWord::forget:
        if (done) forget(record.job_id);
        if (all_held.empty()) leave_path();
        break;
    case HolderWord::release:
        if (done) release(record);
        if (all_held.empty()) leave_path();
        break;
    case HolderWord::list:
        if (done && !list(socket)) return false;
        break;
    default: done = false;
    }
    HolderRecord answer;
    answer.word = done ? HolderWord::done : HolderWord::refused;
    answer.held = static_cast<std::uint32_t>(all_held.size());
    return send_record(socket, answer);
}

/// One packet of mscaled; false when mscaled is gone or sent something else.
bool serve_next(const Fd& socket)
{
    HolderRecord record;
    Fd descriptor;
    return receive_record(socket, record, descriptor) && serve(socket, record, std::move(descriptor));
}

/// The next connection of root, or an empty one.
Fd accept_root(const Fd& listener)
{
    Fd socket(accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC));
    ucred peer{};
    socklen_t length = sizeof peer;
    if (!socket || getsockopt(socket.number(), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || peer.uid != 0)
        return Fd();
    setsockopt(socket.number(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    return socket;
}

/// Serves one mscaled at a time, the newest, until nothing is held and nobody is there.
void serve_all(const Fd& listener)
{
    Fd socket;
    for (;;) {
        std::array<pollfd, 2> ready{pollfd{listener.number(), POLLIN, 0}, pollfd{socket.number(), POLLIN, 0}};
        if (poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) return;
        const bool served = socket && ready[1].revents;
        if (served && !serve_next(socket)) socket = Fd();
        if (served && all_held.empty())
            return; // the last job was forgotten, or mscaled died before it held any
        if (!(ready[0].revents & POLLIN)) continue;
        if (Fd newer = accept_root(listener)) socket = std::move(newer);
    }
}

/// A socket at `path` for root alone, not yet listening.
Fd open_listener(const char* path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (std::strlen(path) >= sizeof address.sun_path) return Fd();
    std::strcpy(address.sun_path, path);
    Fd listener(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    unlink(path);
    umask(0077);
    if (!listener ||
        bind(listener.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        stat(path, &own_file.made) != 0)
        return Fd();
    own_file.path = path;
    return listener;
}

/// Goes on in a child, without the terminal, the directory and the signals of whoever started it.  The child listens, since
/// the kernel tells mscaled the process that did; the parent ends when it can be connected to.  False when it can't.
bool go_to_background(const Fd& listener)
{
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    const Fd told(ends[0]);
    Fd tells(ends[1]);
    char word = 0;
    if (fork() != 0) { // also when there could be no child
        tells = Fd();
        _exit(read(told.number(), &word, 1) == 1 ? 0 : EAGAIN);
    }
    const Fd nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
    for (int number = 0; number <= 2; ++number) dup2(nothing.number(), number);
    return setsid() >= 0 && chdir("/") == 0 && listen(listener.number(), 4) == 0 &&
           write(tells.number(), &word, 1) == 1;
}

} // namespace

int main(int count, char** words)
{
    if (count != 2 || geteuid() != 0) return EPERM;
    const Fd listener = open_listener(words[1]);
    if (!listener) return errno != 0 ? errno : ENAMETOOLONG;
    if (!go_to_background(listener)) return EAGAIN;
    serve_all(listener);
    leave_path();
    return 0;
}
