#include "daemon/mscaled/framing.hpp"

#include "base/text.hpp"

namespace mscale::daemon {

namespace {

constexpr std::size_t header_bytes = 4;

std::size_t read_length(std::string_view header)
{
    std::size_t length = 0;
    for (const char byte : header) length = length << 8 | static_cast<unsigned char>(byte);
    return length;
}

tl::unexpected<Error> too_large(std::size_t limit)
{
    return failure(Code::peer, format("a message is larger than the {} bytes that are read", limit));
}

} // namespace

Result<std::optional<std::string>> cut_frame(std::string& arrived, std::size_t limit)
{
    if (arrived.size() < header_bytes) return std::nullopt;
    const std::size_t length = read_length(std::string_view(arrived).substr(0, header_bytes));
    if (length > limit) return too_large(limit);
    if (arrived.size() < header_bytes + length) return std::nullopt;
    std::string message = arrived.substr(header_bytes, length);
    arrived.erase(0, header_bytes + length);
    return message;
}

std::string to_frame(std::string_view message)
{
    std::string frame;
    for (int shift = 24; shift >= 0; shift -= 8) frame += static_cast<char>(message.size() >> shift & 0xff);
    return frame += message;
}

Result<std::optional<std::string>> cut_line(std::string& arrived, std::size_t limit)
{
    const std::size_t end = arrived.find('\n');
    if (std::min(end, arrived.size()) > limit) return too_large(limit);
    if (end == std::string::npos) return std::nullopt;
    std::string line = arrived.substr(0, end);
    arrived.erase(0, end + 1);
    return line;
}

} // namespace mscale::daemon
