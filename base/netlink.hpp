#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/handle.hpp"

namespace mscale {

/// A conversation with the kernel in the form of netlink(7): one request at a time, each waits for the kernel's word.
class Netlink {
public:
    /// `protocol` as in netlink(7): NETLINK_ROUTE, NETLINK_SOCK_DIAG.
    static Result<Netlink> open(int protocol);

    /// Has something done; `flags` beside NLM_F_REQUEST and NLM_F_ACK.  0, or the kernel's errno.
    int act(std::uint16_t type, std::uint16_t flags, std::string_view body);
    /// The bodies of the messages that answer a request for a list.
    Result<std::vector<std::string>> list(std::uint16_t type, std::string_view body);

private:
    explicit Netlink(Fd socket) : socket_(std::move(socket)) {}
    int send(std::uint16_t type, std::uint16_t flags, std::string_view body);
    int receive(std::vector<std::string>& bodies) const;

    Fd socket_;
    std::uint32_t sequence_ = 0;
};

/// The bytes of a struct of the kernel's.
template <class Struct> std::string_view bytes_of(const Struct& value)
{
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

/// Appends an attribute (struct rtattr) to the body of a request.
void append_attribute(std::string& body, std::uint16_t type, std::string_view value);
/// The value of an attribute of a body whose attributes begin at `offset`; "" where it isn't there.
std::string_view find_attribute(std::string_view body, std::size_t offset, std::uint16_t type);

} // namespace mscale
