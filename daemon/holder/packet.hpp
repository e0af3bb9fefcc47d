#pragma once

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/socket.h>

#include "base/handle.hpp"
#include "daemon/holder/record.hpp"

/// The packets between mscaled and mscale-holder.  A header, since the holder links nothing.
namespace mscale::daemon {

/// A record on its way, with room for one descriptor.
struct HolderPacket {
    HolderRecord record;
    iovec part{&record, sizeof record};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr header{};

    explicit HolderPacket(const HolderRecord& its_record = {}) : record(its_record)
    {
        header.msg_iov = &part;
        header.msg_iovlen = 1;
    }
    HolderPacket(const HolderPacket&) = delete;
    HolderPacket& operator=(const HolderPacket&) = delete;

    void make_room()
    {
        header.msg_control = control.data();
        header.msg_controllen = control.size();
    }
    void attach(int descriptor)
    {
        make_room();
        cmsghdr* const passed = CMSG_FIRSTHDR(&header);
        passed->cmsg_level = SOL_SOCKET;
        passed->cmsg_type = SCM_RIGHTS;
        passed->cmsg_len = CMSG_LEN(sizeof descriptor);
        std::memcpy(CMSG_DATA(passed), &descriptor, sizeof descriptor);
    }
    Fd take_descriptor()
    {
        const cmsghdr* const passed = CMSG_FIRSTHDR(&header);
        if (!passed || passed->cmsg_level != SOL_SOCKET || passed->cmsg_type != SCM_RIGHTS) return Fd();
        int number = -1;
        std::memcpy(&number, CMSG_DATA(passed), sizeof number);
        return Fd(number);
    }
};

/// Sends a record, and a descriptor with it unless that is -1.  False, with errno, when the other side can't take it.
inline bool send_record(const Fd& socket, const HolderRecord& record, int descriptor = -1)
{
    HolderPacket packet(record);
    if (descriptor >= 0) packet.attach(descriptor);
    return sendmsg(socket.number(), &packet.header, MSG_NOSIGNAL) == sizeof record;
}

/// Waits for a record, as long as the socket's own limit says.  False, with errno (0: closed), when none of its size came.
inline bool receive_record(const Fd& socket, HolderRecord& record, Fd& descriptor)
{
    HolderPacket packet;
    packet.make_room();
    ssize_t size = 0;
    do {
        errno = 0;
        size = recvmsg(socket.number(), &packet.header, MSG_CMSG_CLOEXEC);
    } while (size < 0 && errno == EINTR);
    if (size > 0) descriptor = packet.take_descriptor();
    record = packet.record;
    return size == sizeof record && !(packet.header.msg_flags & (MSG_TRUNC | MSG_CTRUNC));
}

} // namespace mscale::daemon
