#include "daemon/spill/write_queue.hpp"

#include <cerrno>

#include <unistd.h>

namespace mscale::daemon {

namespace {

class PlainQueue : public WriteQueue {
public:
    explicit PlainQueue(int file) : file_(file) {}
    Result<std::span<std::byte>> next_buffer() override { return buffer_.span(); }
    Result<void> write(std::size_t size, std::uint64_t at) override
    {
        return write_all(file_, buffer_.span().first(size), at);
    }
    Result<void> wait() override { return {}; }

private:
    int file_;
    PageBuffer buffer_;
};

} // namespace

Result<void> write_all(int file, std::span<const std::byte> bytes, std::uint64_t at)
{
    while (!bytes.empty()) {
        const ssize_t written = pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return os_failure(Code::spill, "writing a snapshot", written < 0 ? errno : ENOSPC);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
        at += static_cast<std::uint64_t>(written);
    }
    return {};
}

std::unique_ptr<WriteQueue> make_write_queue(int file)
{
    if (auto ring = make_ring_queue(file)) return ring;
    return std::make_unique<PlainQueue>(file);
}

} // namespace mscale::daemon
